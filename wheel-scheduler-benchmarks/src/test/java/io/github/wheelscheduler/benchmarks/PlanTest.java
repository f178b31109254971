package io.github.wheelscheduler.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PlanTest {

    private static final double MINUTE = 60;

    @Test
    void repetitionsAreOutermost() {
        List<Plan.Item> items = Plan.of(
                        Options.parse(List.of("--figures", "A", "--contenders", "wheel,stpe", "--jvms", "2")), 25)
                .items();

        assertThat(items).extracting(Plan.Item::jvm).containsExactly(1, 1, 1, 1, 2, 2, 2, 2);
        assertThat(items).extracting(Plan.Item::contender).startsWith("wheel", "stpe", "wheel", "stpe");
    }

    @Test
    void callersTakeTheUsualVariantsPlace() {
        List<Plan.Item> items = Plan.of(
                        Options.parse(List.of(
                                "--figures",
                                "A,D,I,N",
                                "--contenders",
                                "wheel/2,wheel",
                                "--callers",
                                "1,8",
                                "--jvms",
                                "1")),
                        25)
                .items();

        assertThat(items)
                .extracting(item -> item.figure().name() + " " + item.variant())
                .contains("A 1-thread", "A 8-threads", "I 8-threads", "N execute-by-8", "N schedule-near-by-1")
                .doesNotContain("A 2-threads", "N execute");
        assertThat(items).filteredOn(item -> item.figure().name().equals("D")).isNotEmpty();
    }

    @Test
    void olderJdkMeasuresWhatItHas() {
        List<Plan.Item> items = Plan.of(Options.parse(List.of()), 17).items();

        assertThat(items)
                .extracting(item -> item.figure().name())
                .containsOnly("A", "C", "D", "E", "F", "M", "N", "Q", "R");
        assertThat(items)
                .extracting(Plan.Item::contender)
                .doesNotContain("fjp", "fjp/8", "fjp/2", "wheel-virtual", "virtual");
        assertThat(items)
                .filteredOn(item -> List.of("C", "E").contains(item.figure().name()))
                .extracting(Plan.Item::contender)
                .doesNotContain("sats");
    }

    @Test
    void wholeComparisonKeepsToItsTime() {
        assertThat(Plan.of(Options.parse(List.of()), 25).seconds()).isLessThan(100 * MINUTE);
        assertThat(Plan.of(Options.parse(List.of()), 17).seconds()).isLessThan(30 * MINUTE);
    }
}
