package io.github.wheelscheduler.usewith

import kotlinx.coroutines.CompletableDeferred
import org.springframework.scheduling.annotation.Scheduled

/** Suspends until it is told to go on, for a test of spans. */
class SuspendingJobs {
    private val goOn = CompletableDeferred<Unit>()

    @Scheduled(fixedRate = 1_000_000)
    suspend fun suspending() {
        goOn.await()
    }

    fun letGoOn() {
        goOn.complete(Unit)
    }
}
