package io.github.wheelscheduler.internal.spring.task;

import static io.github.wheelscheduler.testing.Patience.awaitThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.spring.WheelTaskScheduler;
import io.github.wheelscheduler.spring.task.TaskSchedule;
import io.github.wheelscheduler.testing.Seed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ids of tasks, of which many have the same name, and some a name that looks like the id of another. */
class TaskPlacesTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final List<String> NAMES = List.of("job", "job~2", "job~2~3", "task", "job~02");
    private static final List<String> GIVEN =
            List.of("job", "job~1", "job~2", "job~3", "job~12", "job~2~2", "job~2~3", "job~", "job~999999999", "~2");

    private final WheelTaskScheduler scheduler = new WheelTaskScheduler();

    /** Called once, within the call that schedules a task. */
    private Runnable whileMade = () -> {};

    private record Named(String taskName) implements Runnable, NamedTask {

        @Override
        public void run() {}
    }

    @BeforeEach
    void start() {
        scheduler.setTaskDecorator(task -> {
            Runnable once = whileMade;
            whileMade = () -> {};
            once.run();
            return task;
        });
        scheduler.initialize();
    }

    @AfterEach
    void shutdown() {
        scheduler.shutdown();
    }

    private TaskSeries repeat(String name) {
        return (TaskSeries)
                scheduler.scheduleAtFixedRate(new Named(name), Instant.now().plus(HOUR), HOUR);
    }

    private TaskSeries give(String name) {
        return (TaskSeries) scheduler
                .getTaskRegistry()
                .schedule(name, () -> {}, TaskSchedule.once(Instant.now().plus(HOUR)));
    }

    /** As ids are defined: the first text that no other task has. */
    private static final class Model {

        private final TreeMap<String, TaskSeries> tasks = new TreeMap<>();

        String next(String name) {
            int number = 1;
            while (tasks.containsKey(text(name, number))) {
                number++;
            }
            return text(name, number);
        }

        static String text(String name, int number) {
            return number == 1 ? name : name + "~" + number;
        }
    }

    @Test
    void idsAreThoseOfTheModelHoweverTasksComeAndGo() {
        Seed.play(random -> {
            Model model = new Model();
            TaskPlaces places = null;
            for (int i = 0; i < 3_000; i++) {
                int comers = i % 1_000 < 600 ? 60 : 30;
                if (model.tasks.isEmpty() || random.nextInt(100) < comers) {
                    places = add(model, random);
                } else {
                    List<String> ids = new ArrayList<>(model.tasks.keySet());
                    TaskSeries gone = model.tasks.remove(ids.get(random.nextInt(ids.size())));
                    assertThat(Objects.requireNonNull(gone).cancel(false)).isTrue();
                }
                if (i % 50 == 0) {
                    assertThat(scheduler.getTaskRegistry().ids()).containsExactlyElementsOf(model.tasks.keySet());
                    assertThat(Objects.requireNonNull(places).size()).isEqualTo(model.tasks.size());
                }
            }
            TaskPlaces all = Objects.requireNonNull(places);
            model.tasks.forEach((id, task) -> assertThat((Object) all.get(id)).isSameAs(task));
            model.tasks.values().forEach(task -> assertThat(task.cancel(false)).isTrue());
            assertThat(all.all()).isEmpty();
            assertThat(all.names()).isZero();
        });
    }

    private TaskPlaces add(Model model, SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            String name = GIVEN.get(random.nextInt(GIVEN.size()));
            if (model.tasks.containsKey(name)) {
                assertThatIllegalArgumentException().isThrownBy(() -> give(name));
                return Objects.requireNonNull(model.tasks.get(name)).guard().book.places;
            }
            TaskSeries task = give(name);
            assertThat(task.id()).isEqualTo(name);
            assertThat(task.name()).isEqualTo(name);
            model.tasks.put(name, task);
            return task.guard().book.places;
        }
        String name = NAMES.get(random.nextInt(NAMES.size()));
        String expected = model.next(name);
        TaskSeries task = repeat(name);
        assertThat(task.id()).isEqualTo(expected);
        assertThat(task.name()).isEqualTo(name);
        model.tasks.put(expected, task);
        return task.guard().book.places;
    }

    @Test
    void finishedTaskKeepsItsIdWhileItIsShown() {
        TaskSeries job = over("job");
        TaskSeries second = over("job~2");
        assertThat(repeat("job").id()).isEqualTo("job~3");
        assertThat(scheduler.getTaskRegistry().ids()).containsExactly("job", "job~2", "job~3");
        assertThat((Object) give("job~2").guard().book.places.get("job~2")).isNotSameAs(second);
        assertThat(job.cancel(false)).isFalse();
        assertThat(repeat("job").id()).isEqualTo("job");
    }

    @Test
    void walkShowsNoTaskTwice() {
        // Their hashes are the same, so that a map has one behind the other.
        TaskSeries first = repeat("Aa");
        TaskSeries second = repeat("Aa");
        TaskSeries behind = repeat("BB");
        Iterator<TaskSeries> walk = first.guard().book.tasks().iterator();
        assertThat((Object) walk.next()).isSameAs(first);
        whileMade = () -> {
            first.cancel(false);
            second.cancel(false);
        };
        List<TaskSeries> fresh = List.of(repeat("Aa"), repeat("Aa"), repeat("Aa"));
        List<TaskSeries> seen = new ArrayList<>();
        walk.forEachRemaining(seen::add);
        assertThat(seen).doesNotHaveDuplicates().contains(behind).containsAll(fresh);
    }

    private TaskSeries over(String name) {
        TaskSeries series =
                (TaskSeries) scheduler.getTaskRegistry().schedule(name, () -> {}, TaskSchedule.once(Instant.now()));
        awaitThat(series::isGone);
        return series;
    }

    @Test
    void tasksOfSeveralThreadsHaveIdsOfTheirOwn() throws Exception {
        List<CompletableFuture<List<TaskSeries>>> callers = new ArrayList<>();
        for (int caller = 0; caller < 4; caller++) {
            SplittableRandom random = new SplittableRandom(caller);
            callers.add(CompletableFuture.supplyAsync(() -> {
                List<TaskSeries> mine = new ArrayList<>();
                for (int i = 0; i < 5_000; i++) {
                    if (mine.isEmpty() || random.nextInt(100) < 52) {
                        mine.add(repeat(NAMES.get(random.nextInt(3))));
                    } else {
                        assertThat(mine.remove(random.nextInt(mine.size())).cancel(false))
                                .isTrue();
                    }
                }
                return mine;
            }));
        }
        List<TaskSeries> all = new ArrayList<>();
        for (CompletableFuture<List<TaskSeries>> caller : callers) {
            all.addAll(caller.get(60, TimeUnit.SECONDS));
        }
        TreeSet<String> ids = new TreeSet<>();
        all.forEach(task -> assertThat(ids.add(task.id())).isTrue());
        assertThat(scheduler.getTaskRegistry().ids()).containsExactlyElementsOf(ids);
        all.forEach(task -> assertThat(task.cancel(false)).isTrue());
        assertThat(scheduler.getTaskRegistry().size()).isZero();
    }
}
