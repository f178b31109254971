package io.github.wheelscheduler.autoconfigure;

/** What is done about a property that means nothing that there is. */
enum OnUnknown {

    /** The start ends with an error. */
    FAIL,

    /** The log says so, and the application goes on. */
    WARN
}
