package io.github.wheelscheduler.autoconfigure;

/** The reaction to a property that means no task, or no setting. */
enum OnUnknown {

    /** The start ends with an error. */
    FAIL,

    /** A warning is logged, and the application continues. */
    WARN
}
