package io.github.wheelscheduler.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arithmetic of slots. */
class LevelTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0",
        "0, 63, 63",
        "0, 64, 0",
        "1, 63, 0",
        "1, 64, 1",
        "1, 4095, 63",
        "1, 4096, 0",
        "2, 4096, 1",
        "10, 9223372036854775807, 7",
        "10, 1152921504606846976, 1"
    })
    void slotIsTheDigitOfTheTickInBase64(int index, long tick, int slot) {
        assertThat(new Level(new ChunkTable(() -> {}), index).slotOf(tick)).isEqualTo(slot);
        assertThat(new Level(new ChunkTable(() -> {}), index).bucketOf(tick)).isNotNull();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 5, 0, 5",
        "0, 5, 64, 69",
        "1, 2, 0, 128",
        "1, 2, 4100, 4224",
        "9, 3, 1152921504606846976, 1206964700135292928",
        "10, 7, 5, 8070450532247928832"
    })
    void slotBeginsInTheTurnOfTheCurrentTick(int index, int slot, long currentTick, long firstTick) {
        assertThat(new Level(new ChunkTable(() -> {}), index).firstTickOf(slot, currentTick))
                .isEqualTo(firstTick);
    }
}
