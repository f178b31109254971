package io.github.wheelscheduler.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.internal.engine.FirstPermit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** A call that must not fail takes no memory the first time either, when the JVM links it. */
class FirstCallsTest {

    @Test
    void firstPermitIsTakenWithoutMemory() throws Exception {
        FaultLoader fresh = new FaultLoader(FirstCallsTest.class.getClassLoader(), null);
        LongSupplier first = (LongSupplier) fresh.loadClass(FirstPermit.class.getName())
                .getDeclaredConstructor()
                .newInstance();
        assertThat(first.getAsLong()).isZero();
    }
}
