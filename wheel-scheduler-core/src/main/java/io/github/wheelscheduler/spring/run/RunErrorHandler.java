package io.github.wheelscheduler.spring.run;

import org.springframework.util.ErrorHandler;

/** An error handler that wants to know of runs that went well, too. */
interface RunErrorHandler extends ErrorHandler {

    /** A run of the task has ended without a failure, after one that failed. On the thread of the run. */
    void succeeded();
}
