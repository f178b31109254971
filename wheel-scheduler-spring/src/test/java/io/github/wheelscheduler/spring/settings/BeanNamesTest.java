package io.github.wheelscheduler.spring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BeanNamesTest {

    private static final int MANY = 10_000;
    private static final int THREADS = 4;

    private final BeanNames names = new BeanNames();
    private final TaskCatalog catalog = new TaskCatalog();

    BeanNamesTest() {
        catalog.findBeansBy(names);
    }

    /** Has methods that no table may call. */
    private static final class Hostile {

        @Override
        public boolean equals(@Nullable Object other) {
            throw new AssertionError("equals was called");
        }

        @Override
        public int hashCode() {
            throw new AssertionError("hashCode was called");
        }
    }

    @Test
    void beansAreToldApartByTheirIdentity() {
        List<Object> beans = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            Object bean = new Hostile();
            beans.add(bean);
            names.add(bean, "bean" + i);
            names.add(bean, "other");
        }
        assertThat(names.size()).isEqualTo(MANY);
        for (int i = 0; i < MANY; i++) {
            assertThat(names.nameOf(beans.get(i))).isEqualTo("bean" + i);
        }
        assertThat(names.nameOf(new Hostile())).isNull();
        beans.forEach(names::remove);
        assertThat(names.size()).isZero();
    }

    @Test
    void removedBeanIsEndedOnce() {
        AtomicInteger ends = new AtomicInteger();
        addAndEnd(ends);
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            System.gc();
            return names.size() == 0;
        });
        assertThat(ends).hasValue(2);
    }

    private void addAndEnd(AtomicInteger ends) {
        Object removed = new Object();
        names.add(removed, "removed");
        assertThat(names.onEnd(removed, ends::incrementAndGet)).isTrue();
        names.remove(removed);
        names.remove(removed);
        assertThat(ends).hasValue(1);
        assertThat(names.onEnd(removed, ends::incrementAndGet)).isFalse();
        Object collected = new Object();
        names.add(collected, "collected");
        assertThat(names.onEnd(collected, ends::incrementAndGet)).isTrue();
    }

    @Test
    void idOfARemovedBeanGoesToTheNextOne() {
        List<String> free = new ArrayList<>();
        catalog.onFreeId(free::add);
        Object first = bean("first");
        Object other = bean("other");
        assertThat(catalog.idOf("task", first)).isEqualTo("task");
        assertThat(catalog.idOf("task", other)).isEqualTo("task@other");
        names.remove(first);
        assertThat(free).containsExactly("task@first");
        assertThat(catalog.idOf("task", other)).isEqualTo("task@other");
        assertThat(catalog.idOf("task", bean("next"))).isEqualTo("task");
        names.remove(other);
        assertThat(free).containsExactly("task@first", "task@other");
    }

    private Object bean(String name) {
        Object bean = new Hostile();
        names.add(bean, name);
        return bean;
    }

    @Test
    void objectsOfOneNameShareItsId() {
        Object one = bean("prototype");
        Object two = bean("prototype");
        assertThat(catalog.idOf("task", one)).isEqualTo("task");
        assertThat(catalog.idOf("task", two)).isEqualTo("task");
        names.remove(one);
        assertThat(catalog.idOf("task", bean("other"))).isEqualTo("task@other");
        names.remove(two);
        assertThat(catalog.idOf("task", bean("next"))).isEqualTo("task");
    }

    @Test
    void nothingIsLeftOfBeansThatManyThreadsAddAndRemove() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int number = thread;
                all.add(threads.submit(() -> {
                    start.await();
                    for (int i = 0; i < MANY; i++) {
                        Object bean = bean("bean" + (i + number) % 3);
                        assertThat(catalog.idOf("task", bean)).startsWith("task");
                        names.remove(bean);
                    }
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(names.size()).isZero();
        assertThat(catalog.footprint()).isZero();
    }
}
