/** A program on the module path. */
module org.example.modulepath {
    requires io.github.wheelscheduler.core;
    requires io.github.wheelscheduler.netty;
    requires io.github.wheelscheduler.timers;
    requires io.netty.common;
}
