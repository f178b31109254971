package io.github.wheelscheduler.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.wheelscheduler.UnusableSettingException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Queries and settings that exist are valid. */
class HistoryQueryTest {

    private static final Instant TIME = Instant.parse("2030-01-01T00:00:00Z");

    @Test
    void textNeedsATaskOrARange() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HistoryQuery.ALL.containing("timeout"))
                .withMessage("node and text must have a task, or a range of time with from and to");
        assertThatIllegalArgumentException().isThrownBy(() -> HistoryQuery.ALL.onNode("a"));

        assertThat(HistoryQuery.ALL.ofTask("report").containing("timeout").text())
                .isEqualTo("timeout");
        assertThat(HistoryQuery.ALL
                        .between(TIME, TIME.plusSeconds(1))
                        .onNode("a")
                        .node())
                .isEqualTo("a");
    }

    @Test
    void instanceNeedsAHandler() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HistoryQuery(null, null, null, "17", Set.of(), null, null, null, null, 50))
                .withMessage("instance must have a task, was 17");
    }

    @Test
    void limitsHaveBounds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HistoryQuery.ALL.limit(1_001))
                .withMessage("limit must be 1 to 1000, was 1001");
        assertThatIllegalArgumentException().isThrownBy(() -> AuditQuery.ALL.limit(0));
    }

    @Test
    void rangeDoesNotEndBeforeItBegins() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HistoryQuery.ALL.between(TIME, TIME.minusSeconds(1)))
                .withMessage("to must not be before from, was 2029-12-31T23:59:59Z");
    }

    @Test
    void codesOfTheDatabaseStay() {
        assertThat(EnumSet.allOf(HistoryOutcome.class))
                .extracting(HistoryOutcome::code, HistoryOutcome::tag)
                .hasToString("[(0, \"success\"), (1, \"failure\"), (2, \"interrupted\"), (3, \"given_up\"),"
                        + " (4, \"skipped\"), (5, \"missed\"), (6, \"rejected\"), (7, \"cancelled\"),"
                        + " (8, \"put_aside\"), (9, \"taken_over\")]");
        assertThat(EnumSet.allOf(HistoryCause.class))
                .extracting(HistoryCause::code, HistoryCause::tag)
                .hasToString("[(0, \"schedule\"), (1, \"caught_up\"), (2, \"retry\"), (3, \"by_hand\")]");
    }

    @Test
    void settingsNameTheRule() {
        HistorySettings settings = HistorySettings.ofNode("a");

        assertThat(settings.keepRows()).isEqualTo(Duration.ofDays(14));
        assertThat(settings.successesPerHour()).isEqualTo(120);
        assertThatExceptionOfType(UnusableSettingException.class)
                .isThrownBy(() -> HistorySettings.ofNode(""))
                .withMessage("node must have 1 to 50 characters, was ");
    }
}
