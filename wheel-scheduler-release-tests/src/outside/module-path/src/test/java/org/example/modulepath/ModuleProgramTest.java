package org.example.modulepath;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ModuleProgramTest {

    @Test
    void programRunsOnTheModulePath() throws InterruptedException {
        assertThat(ModuleProgram.class.getModule().getName()).isEqualTo("org.example.modulepath");
        assertThat(ModuleProgram.names())
                .isEqualTo("io.github.wheelscheduler.core, io.github.wheelscheduler.timers,"
                        + " io.github.wheelscheduler.netty");
    }
}
