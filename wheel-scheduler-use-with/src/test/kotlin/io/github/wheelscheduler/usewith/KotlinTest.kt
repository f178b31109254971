package io.github.wheelscheduler.usewith

import io.github.wheelscheduler.WheelScheduledExecutor
import io.github.wheelscheduler.spring.WheelTask
import io.github.wheelscheduler.spring.WheelTaskScheduler
import io.github.wheelscheduler.spring.task.TaskRegistry
import io.github.wheelscheduler.test.VirtualTime
import io.github.wheelscheduler.test.VirtualTimeExtension
import java.time.Duration
import java.time.Instant
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.boot.logging.LoggingSystem
import org.springframework.context.ApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.scheduling.annotation.EnableScheduling
import org.springframework.scheduling.annotation.Scheduled
import org.springframework.scheduling.support.CronTrigger

/** What `docs/kotlin-and-gradle.md` shows of Kotlin. */
@ExtendWith(VirtualTimeExtension::class)
class KotlinTest {

    // snippet
    class Prices(private val shop: Shop) {

        @WheelTask("prices")
        @Scheduled(fixedDelay = 10, timeUnit = TimeUnit.MILLISECONDS)
        suspend fun refresh() {
            shop.update(shop.fetch())
        }
    }
    // end of snippet

    /** Suspends while it fetches, so that the function returns before the run is over. */
    class Shop {
        val fetches = AtomicInteger()
        val updates = AtomicInteger()
        val overlaps = AtomicBoolean()
        private val running = AtomicInteger()

        suspend fun fetch(): Int {
            if (running.incrementAndGet() > 1) {
                overlaps.set(true)
            }
            delay(20)
            return fetches.incrementAndGet()
        }

        fun update(price: Int) {
            assertThat(price).isPositive()
            running.decrementAndGet()
            updates.incrementAndGet()
        }
    }

    /** One ends only when it is cancelled, and one fails after it has been suspended. */
    class Bad {
        val cancelled = AtomicInteger()

        @WheelTask("endless")
        @Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
        suspend fun endless() {
            try {
                awaitCancellation()
            } finally {
                cancelled.incrementAndGet()
            }
        }

        @WheelTask("failing")
        @Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
        suspend fun failing() {
            delay(20)
            throw IllegalStateException("no price")
        }
    }

    /** Has no database, which durable tasks of another test need. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
        excludeName = ["io.github.wheelscheduler.durable.autoconfigure.DurableAutoConfiguration"]
    )
    @EnableScheduling
    class Application {
        @Bean fun shop() = Shop()

        @Bean fun prices(shop: Shop) = Prices(shop)

        @Bean fun bad() = Bad()
    }

    private fun runApplication(test: (ApplicationContext, TaskRegistry) -> Unit) {
        System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE)
        try {
            SpringApplicationBuilder(Application::class.java).web(WebApplicationType.NONE).run().use { context ->
                test(context, context.getBean("taskScheduler", WheelTaskScheduler::class.java).taskRegistry)
            }
        } finally {
            System.clearProperty(LoggingSystem.SYSTEM_PROPERTY)
        }
    }

    @Test
    fun suspendingFunctionRunsAgainAndAgainWithoutOverlap() = runApplication { context, tasks ->
        val shop = context.getBean(Shop::class.java)
        await().atMost(LIMIT).until { shop.updates.get() >= 3 }
        assertThat(shop.overlaps).isFalse()
        assertThat(tasks.get("prices").runs()).isPositive()
    }

    @Test
    fun interruptCancelsTheCoroutineOfARun() = runApplication { context, tasks ->
        await().atMost(LIMIT).until { tasks.find("endless").map { it.runningSince() != null }.orElse(false) }
        assertThat(tasks.interrupt("endless")).isEqualTo(1)
        await().atMost(LIMIT).until { tasks.get("endless").runningSince() == null }
        assertThat(context.getBean(Bad::class.java).cancelled).hasValue(1)
        assertThat(tasks.get("endless").runs()).isZero()
    }

    @Test
    fun failureOfACoroutineIsThatOfItsRun() = runApplication { _, tasks ->
        await().atMost(LIMIT).until { tasks.find("failing").map { it.runs() == 1L }.orElse(false) }
        assertThat(tasks.get("failing").last()?.failure()?.message()).isEqualTo("no price")
        assertThat(tasks.get("failing").last()?.duration()).isGreaterThan(Duration.ofMillis(19))
    }

    // snippet
    @Test
    fun reportsEveryMorning(time: VirtualTime) {
        val scheduler = time.newScheduler()
        val runs = mutableListOf<Instant>()
        scheduler.schedule({ runs += time.now() }, CronTrigger("0 0 6 * * *"))

        time.advanceBy(Duration.ofDays(2))

        assertThat(runs)
            .containsExactly(Instant.parse("2030-01-01T06:00:00Z"), Instant.parse("2030-01-02T06:00:00Z"))
    }
    // end of snippet

    // snippet
    fun dispatcher(executor: WheelScheduledExecutor): CoroutineDispatcher = executor.unclosable().asCoroutineDispatcher()
    // end of snippet

    @Test
    fun delaysOfCoroutinesAreTimersOfTheWheel(time: VirtualTime) {
        val executor =
            WheelScheduledExecutor.builder().timeSource(time.timeSource()).wallClock(time.clock()).build()
        time.drive(executor)
        val done = mutableListOf<Instant>()
        CoroutineScope(dispatcher(executor)).launch {
            delay(3_600_000)
            done += time.now()
        }
        time.advanceBy(Duration.ofHours(2))
        assertThat(done).containsExactly(Instant.parse("2030-01-01T01:00:00Z"))
        executor.close()
    }

    @Test
    fun lambdasAreTasks() {
        WheelScheduledExecutor.builder().build().use { executor ->
            val ran = AtomicInteger()
            // snippet
            val timeout = executor.schedule(Runnable { ran.incrementAndGet() }, 30, TimeUnit.SECONDS)
            val inTime = timeout.reschedule(1, TimeUnit.MILLISECONDS)
            // end of snippet
            assertThat(inTime).isTrue()
            await().atMost(LIMIT).until { ran.get() == 1 }
        }
    }

    private companion object {
        val LIMIT: Duration = Duration.ofSeconds(30)
    }
}
