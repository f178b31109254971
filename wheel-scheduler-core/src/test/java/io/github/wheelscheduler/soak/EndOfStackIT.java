package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.testing.ChildJvm;
import io.github.wheelscheduler.testing.WorkerKind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A caller that has no stack left fails, and leaves nothing behind that would hold up others. */
class EndOfStackIT {

    @Test
    void callersAtTheEndOfTheirStackHarmNobody() throws Exception {
        new ChildJvm("end-of-stack", EndOfStackChild.class, List.of()).awaitSuccess(Duration.ofMinutes(3));
    }

    /** When everything has been compiled, less stack is made sure of. */
    @ParameterizedTest
    @EnumSource
    void norDoTheyLater(WorkerKind kind) throws Exception {
        new ChildJvm("end-of-stack-" + kind, EndOfStackChild.class, List.of(kind.name()))
                .awaitSuccess(Duration.ofMinutes(3));
    }
}
