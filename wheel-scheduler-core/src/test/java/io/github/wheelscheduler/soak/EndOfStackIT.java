package io.github.wheelscheduler.soak;

import io.github.wheelscheduler.testing.ChildJvm;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A caller that has no stack left fails, and leaves nothing behind that would hold up others. */
class EndOfStackIT {

    @Test
    void callersAtTheEndOfTheirStackHarmNobody() throws Exception {
        new ChildJvm("end-of-stack", EndOfStackChild.class, List.of()).awaitSuccess(Duration.ofMinutes(3));
    }
}
