package io.github.wheelscheduler.benchmarks.figure;

import java.util.List;
import java.util.stream.Stream;

/** The contenders of each figure. */
final class Peers {

    static final List<String> ALL =
            List.of("wheel", "wheel-spring", "stpe", "fjp", "tpts", "sats", "hwt", "hwt+x", "kafka", "agrona");

    /** Those whose ways of keeping pending timers differ. */
    static final List<String> STRUCTURES = List.of("wheel", "stpe", "fjp", "tpts", "hwt", "kafka", "agrona");

    private Peers() {}

    static List<String> plus(List<String> peers, String another) {
        return Stream.concat(peers.stream(), Stream.of(another)).toList();
    }
}
