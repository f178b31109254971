package io.github.wheelscheduler.durable.internal;

import static io.github.wheelscheduler.durable.internal.MeasuredLog.MeasuredPage.IS_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.durable.PayloadFormat;
import io.github.wheelscheduler.durable.internal.MeasuredLog.MeasuredPage;
import io.github.wheelscheduler.durable.internal.payload.Payloads;
import io.github.wheelscheduler.durable.internal.payload.PayloadsTest.Order;
import io.github.wheelscheduler.durable.internal.payload.PayloadsTest.Secret;
import java.io.IOException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the check of {@code schedule} costs, which reads a payload again and writes it again. {@code -Pcluster} runs it,
 * no other build does:
 *
 * <pre>{@code
 * mvn -B verify -Pcluster -pl wheel-scheduler-durable -am -Dit.test=PayloadsMeasured \
 *     -Dfailsafe.failIfNoSpecifiedTests=false -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false
 * }</pre>
 */
class PayloadsMeasured {

    private static final int ROUNDS = 5;
    private static final long ROUND_NANOS =
            Duration.ofMillis(IS_LONG ? 1_000 : 50).toNanos();
    private static final int CALLS = 100;

    private final Payloads payloads = new Payloads(JsonMapper.builder().build(), List.of(PayloadFormat.standard()));

    @Test
    void check() throws IOException {
        Secret large = new Secret(
                1,
                IntStream.range(0, 100)
                        .mapToObj(i -> new Order("order " + i, i))
                        .toList());
        MeasuredPage.write(
                "k-payloads",
                "The check of a payload",
                "What it takes to write a payload, and what to write it, read it and write it again, as `schedule` "
                        + "does where the node has the handler; microseconds on one thread, medians of "
                        + ROUNDS + " rounds.",
                List.of("payload", "bytes", "written", "written and checked", "the check"),
                List.of(
                        row("a record of two fields", new Order("4711", 3), Order.class),
                        row("a record with a list of 100 of those", large, Secret.class)));
    }

    private List<String> row(String title, Object payload, Type type) {
        byte[] written = payloads.write(payload, null);
        assertThat(payloads.write(payload, type)).isEqualTo(written);
        double unchecked = micros(() -> payloads.write(payload, null));
        double checked = micros(() -> payloads.write(payload, type));
        return List.of(title, "" + written.length, text(unchecked), text(checked), text(checked - unchecked));
    }

    private static String text(double micros) {
        return String.format(Locale.ROOT, "%.2f", micros);
    }

    /** The first round makes it warm. */
    private static double micros(Runnable call) {
        double[] rounds = new double[ROUNDS];
        double ignored = round(call);
        for (int i = 0; i < ROUNDS; i++) {
            rounds[i] = round(call);
        }
        Arrays.sort(rounds);
        return rounds[ROUNDS / 2];
    }

    private static double round(Runnable call) {
        long calls = 0;
        long startNanos = System.nanoTime();
        long nanos;
        do {
            for (int i = 0; i < CALLS; i++) {
                call.run();
            }
            calls += CALLS;
            nanos = System.nanoTime() - startNanos;
        } while (nanos < ROUND_NANOS);
        return nanos / 1e3 / calls;
    }
}
