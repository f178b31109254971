package io.github.wheelscheduler.spring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.util.ReflectionUtils;

class TaskCatalogTest {

    private static final TaskSettings ONE = jitter(1);
    private static final TaskSettings TWO = jitter(2);
    private static final TaskSettings PAUSED =
            TaskSettings.builder().pauseAfterFailures(3).build();

    private final TaskCatalog catalog = new TaskCatalog();

    private static TaskSettings jitter(int seconds) {
        return TaskSettings.builder().jitter(Duration.ofSeconds(seconds)).build();
    }

    static class Jobs {
        void poll() {}

        void push() {}
    }

    private static TaskDeclaration declaration(String method, String id, boolean isGiven, TaskSettings settings) {
        Method found = ReflectionUtils.findMethod(Jobs.class, method);
        assertThat(found).isNotNull();
        return new TaskDeclaration("Jobs." + method, Jobs.class, found, id, isGiven, settings, "jobs");
    }

    private TaskSettings settingsOf(String id) {
        return catalog.settingsOf(id, TaskSettings.NONE);
    }

    @Test
    void overridesGoOverGivenSettingsAndTheseOverCode() {
        catalog.set(
                "task",
                TaskSettings.builder()
                        .jitter(Duration.ofSeconds(1))
                        .pauseAfterFailures(1)
                        .missedRuns(MissedRuns.SKIP)
                        .build());
        TaskSettings given = PAUSED.overlaidWith(TWO);
        catalog.override("task", jitter(3));
        assertThat(catalog.settingsOf("task", given).toMap())
                .containsEntry("jitter", "PT3S")
                .containsEntry("pause-after-failures", "3")
                .containsEntry("missed-runs", "skip");
        assertThat(settingsOf("other")).isSameAs(TaskSettings.NONE);
    }

    @Test
    void codeOverridesAnAnnotationInAnyOrder() {
        catalog.declare(declaration("poll", "poll", true, ONE.overlaidWith(PAUSED)));
        catalog.set("push", TWO);
        catalog.declare(declaration("push", "push", true, ONE.overlaidWith(PAUSED)));
        assertThat(settingsOf("poll").toMap())
                .containsEntry("jitter", "PT1S")
                .containsEntry("pause-after-failures", "3");
        assertThat(settingsOf("push").toMap())
                .containsEntry("jitter", "PT2S")
                .containsEntry("pause-after-failures", "3");
    }

    @Test
    void idGivenToTwoMethodsIsRefused() {
        catalog.declare(declaration("poll", "job", true, ONE));
        catalog.declare(declaration("poll", "job", true, ONE));
        assertThatIllegalStateException()
                .isThrownBy(() -> catalog.declare(declaration("push", "job", true, ONE)))
                .withMessageContaining(
                        "job belongs to " + Jobs.class.getName() + ".poll and to " + Jobs.class.getName() + ".push");
    }

    @Test
    void idIsFreeWhenWithdrawnAsOftenAsDeclared() {
        TaskDeclaration poll = declaration("poll", "job", true, ONE);
        catalog.declare(poll);
        catalog.declare(declaration("poll", "job", true, TWO));
        assertThat(settingsOf("job")).isEqualTo(TWO);
        catalog.withdraw(poll);
        assertThat(catalog.declaration("job")).isNotNull();
        catalog.withdraw(poll);
        catalog.withdraw(poll);
        assertThat(catalog.footprint()).isZero();
        catalog.declare(declaration("push", "job", true, ONE));
        assertThat(catalog.ids()).containsExactly("job", "job@jobs");
    }

    @Test
    void idThatAnotherMethodHasByItsNameIsRefused() {
        catalog.declare(declaration("poll", "Jobs.poll", false, TaskSettings.NONE));
        assertThatIllegalStateException()
                .isThrownBy(() -> catalog.declare(declaration("push", "Jobs.poll", true, ONE)))
                .withMessageContaining("Jobs.poll belongs to");
    }

    @Test
    void settingsOfAnotherCatalogFillGaps() {
        TaskCatalog other = new TaskCatalog();
        other.set("one", ONE);
        other.set("two", ONE);
        catalog.set("two", TWO);
        catalog.setAllOf(other);
        assertThat(settingsOf("one")).isEqualTo(ONE);
        assertThat(settingsOf("two")).isEqualTo(TWO);
    }

    private final BeanNames beans = new BeanNames();

    private String declare(String beanName, Object bean) {
        beans.add(bean, beanName);
        catalog.findBeansBy(beans);
        TaskDeclaration poll = declaration("poll", "Jobs.poll", false, PAUSED);
        catalog.declare(
                new TaskDeclaration("Jobs.poll", Jobs.class, poll.method(), poll.id(), false, PAUSED, beanName));
        String id = catalog.idOf(new Wrapper(new ScheduledMethodRunnable(bean, poll.method())), "Jobs.poll");
        assertThat(id).isNotNull();
        return id;
    }

    /** As Spring's: the method is in a private field. */
    @SuppressWarnings({"unused", "UnusedVariable"})
    private record Wrapper(Runnable runnable) {}

    @Test
    void idsOfFurtherBeansOfAClassHaveTheirNames() {
        Jobs one = new Jobs();
        Jobs other = new Jobs();
        assertThat(declare("one", one)).isEqualTo("Jobs.poll");
        assertThat(declare("other", other)).isEqualTo("Jobs.poll@other");
        assertThat(declare("one", one)).isEqualTo("Jobs.poll");
        assertThat(catalog.ids()).containsExactly("Jobs.poll", "Jobs.poll@one", "Jobs.poll@other");
        assertThat(catalog.declaration("Jobs.poll@other")).isNotNull();
    }

    @Test
    void settingsOfTheLongIdGoOverThoseOfAllBeans() {
        declare("one", new Jobs());
        declare("other", new Jobs());
        catalog.override("Jobs.poll@one", ONE);
        catalog.override("Jobs.poll", jitter(5));
        catalog.set(
                "Jobs.poll@other", TaskSettings.builder().pauseAfterFailures(9).build());
        assertThat(settingsOf("Jobs.poll")).isEqualTo(PAUSED.overlaidWith(ONE));
        assertThat(settingsOf("Jobs.poll@other").toMap())
                .containsEntry("jitter", "PT5S")
                .containsEntry("pause-after-failures", "9");
    }

    @Test
    void beanThatCannotBeFoundSharesTheShortId() {
        declare("one", new Jobs());
        declare("other", new Jobs());
        assertThat(catalog.idOf(new Object(), "Jobs.poll")).isEqualTo("Jobs.poll");
    }

    // Sources

    private Map<String, String> sourcesOf(String id, TaskSettings given) {
        return catalog.sourcesOf(id, catalog.settingsOf(id, given));
    }

    @Test
    void eachSettingHasTheSourceOfTheLayerThatHolds() {
        catalog.declare(declaration(
                "poll",
                "poll",
                false,
                TaskSettings.builder()
                        .fixedRate(Duration.ofSeconds(1))
                        .jitter(Duration.ofSeconds(1))
                        .missedRuns(MissedRuns.SKIP)
                        .gap(Gap.SHIFT)
                        .build()));
        catalog.set("poll", TaskSettings.builder().missedRuns(MissedRuns.LATEST).build());
        catalog.overrideBy(id -> id.equals("poll")
                ? TaskSettings.builder()
                        .cron("0 0 * * * *")
                        .jitter(Duration.ofSeconds(2))
                        .build()
                : TaskSettings.NONE);
        catalog.nameSourcesBy((id, setting) -> id + "." + setting);
        catalog.override("poll", PAUSED);
        assertThat(sourcesOf("poll", TaskSettings.NONE))
                .containsExactly(
                        Map.entry("cron", "poll.cron"),
                        Map.entry("missed-runs", "code"),
                        Map.entry("jitter", "poll.jitter"),
                        Map.entry("gap", "annotation"),
                        Map.entry("pause-after-failures", "code"));
    }

    @Test
    void settingsThatATaskIsScheduledWithAreOfTheCode() {
        assertThat(sourcesOf("other", TWO)).containsExactly(Map.entry("jitter", "code"));
        assertThat(sourcesOf("other", TaskSettings.NONE)).isEmpty();
    }

    @Test
    void partsOfABackOffThatNothingSetsAreTheDefault() {
        TaskSettings given =
                TaskSettings.builder().backOffDelay(Duration.ofSeconds(1)).build();
        assertThat(sourcesOf("other", given))
                .containsExactly(
                        Map.entry("back-off.delay", "code"),
                        Map.entry("back-off.multiplier", "default"),
                        Map.entry("back-off.max-delay", "default"));
    }

    @Test
    void settingThatWasChangedSinceIsNotTheSource() {
        TaskSettings held = catalog.settingsOf("other", ONE);
        catalog.overrideBy(id -> TWO);
        catalog.nameSourcesBy((id, setting) -> "property");
        assertThat(catalog.sourcesOf("other", held)).containsExactly(Map.entry("jitter", "code"));
    }
}
