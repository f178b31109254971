package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import io.github.wheelscheduler.durable.Durable;
import io.github.wheelscheduler.durable.DurableHandler;
import io.github.wheelscheduler.durable.DurableTasks;
import io.github.wheelscheduler.durable.RecurringTasks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.javapoet.ClassName;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Durable tasks of an application whose context is prepared ahead of time. */
class AheadOfTimeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    record Address(String town) {}

    record Parcel(String number, List<Address> addresses) {}

    record Crate(int weight) {}

    interface Sender {
        @DurableHandler("letter")
        void send(String letter);
    }

    abstract static class Receiver<T> {
        final Queue<T> received = new ConcurrentLinkedQueue<>();

        @DurableHandler("crate")
        void receive(T one) {
            received.add(one);
        }
    }

    static class Crates extends Receiver<Crate> {}

    static class Parcels implements Sender {
        final Queue<Object> sent = new ConcurrentLinkedQueue<>();
        final AtomicInteger ticks = new AtomicInteger();

        @DurableHandler("parcel")
        void send(Parcel parcel) {
            sent.add(parcel);
        }

        @Override
        public void send(String letter) {
            sent.add(letter);
        }

        @DurableHandler(value = "insured", transactional = true)
        void sendInsured(Crate crate) {
            sent.add(crate + (TransactionSynchronizationManager.isActualTransactionActive() ? ", insured" : ""));
        }

        @Durable("ticking")
        @Scheduled(fixedRate = 100)
        void tick() {
            ticks.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    static class Application {
        @Bean
        Parcels parcels() {
            return new Parcels();
        }

        @Bean
        Crates crates() {
            return new Crates();
        }
    }

    static class Wrong {
        @DurableHandler("wrong")
        @SuppressWarnings("unused") // on purpose
        void wrong(String one, String two) {}
    }

    private static ClassName prepare(TestGenerationContext generation, Class<?>... configurations) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(configurations);
            return new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
    }

    @Tag("full")
    @Test
    @CompileWithForkedClassLoader
    void runsTasks() {
        TestGenerationContext generation = new TestGenerationContext();
        ClassName initializer = prepare(generation, Application.class);
        generation.writeGeneratedContent();
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                initializerOf(compiled.getInstance(ApplicationContextInitializer.class, initializer.reflectionName()))
                        .initialize(context);
                context.refresh();
                runTasks(context);
                assertThat(AutoProxyUtils.determineTargetClass(context.getBeanFactory(), "taskScheduler"))
                        .as("where Spring looks for listeners")
                        .isSameAs(ThreadPoolTaskScheduler.class);
            }
        });
    }

    @SuppressWarnings("unchecked")
    private static ApplicationContextInitializer<GenericApplicationContext> initializerOf(Object instance) {
        return (ApplicationContextInitializer<GenericApplicationContext>) instance;
    }

    private static void runTasks(GenericApplicationContext context) {
        DurableTasks tasks = context.getBean(DurableTasks.class);
        Parcels parcels = context.getBean(Parcels.class);
        Parcel parcel = new Parcel("4711", List.of(new Address("Bremen")));
        assertThat(tasks.schedule("parcel", "1", parcel, Instant.now())).isTrue();
        assertThat(tasks.schedule("letter", "1", "hello", Instant.now())).isTrue();
        assertThat(tasks.schedule("crate", "1", new Crate(7), Instant.now())).isTrue();
        assertThat(tasks.schedule("insured", "1", new Crate(8), Instant.now())).isTrue();

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(parcels.sent)
                        .containsExactlyInAnyOrder(parcel, "hello", "Crate[weight=8], insured"));
        await().atMost(PATIENCE).until(() -> tasks.find("insured", "1").isEmpty());
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(context.getBean(Crates.class).received).containsExactly(new Crate(7)));
        await().atMost(PATIENCE).until(() -> parcels.ticks.get() >= 3);
        assertThat(context.getBean(RecurringTasks.class).list()).hasSize(1);
    }

    @Test
    void nativeImageKnowsHandlersAndSchemaScripts() throws NoSuchMethodException {
        TestGenerationContext generation = new TestGenerationContext();
        ClassName ignored = prepare(generation, Application.class);
        RuntimeHints hints = generation.getRuntimeHints();

        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Parcels.class.getDeclaredMethod("send", Parcel.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Parcels.class.getDeclaredMethod("send", String.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Sender.class.getDeclaredMethod("send", String.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Receiver.class.getDeclaredMethod("receive", Object.class)))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Parcels.class.getDeclaredMethod("tick")))
                .accepts(hints);
        for (Class<?> read : List.of(Parcel.class, Address.class, Crate.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onConstructorInvocation(read.getDeclaredConstructors()[0]))
                    .as(read.getName())
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Parcel.class.getDeclaredMethod("addresses")))
                .accepts(hints);
        for (String product : List.of("h2", "postgresql")) {
            for (String script : List.of("schema-", "layout-2-")) {
                assertThat(RuntimeHintsPredicates.resource()
                                .forResource("io/github/wheelscheduler/durable/" + script + product + ".sql"))
                        .as(script + product)
                        .accepts(hints);
            }
        }
    }

    @Test
    void methodThatCannotRunTasksStopsThePreparation() {
        assertThatException()
                .isThrownBy(() -> prepare(new TestGenerationContext(), Application.class, Wrong.class))
                .havingRootCause()
                .isInstanceOf(UnusableSetupException.class)
                .withMessageContaining("must have one parameter at most");
    }
}
