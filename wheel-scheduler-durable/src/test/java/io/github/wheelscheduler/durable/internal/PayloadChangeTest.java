package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.github.wheelscheduler.durable.PayloadFormat;
import io.github.wheelscheduler.durable.internal.payload.Payloads;
import io.github.wheelscheduler.durable.internal.payload.UnreadablePayloadException;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * Rows that wait are read by the next version of their class; each line of the table in docs/durable-payloads.md is a
 * test.
 */
class PayloadChangeTest {

    private final Payloads payloads = new Payloads(JsonMapper.builder().build(), List.of(PayloadFormat.standard()));

    enum Size {
        SMALL,
        LARGE
    }

    record Invoice(String id, int amount, Size size) {}

    private static final Invoice WAITS = new Invoice("4711", 3, Size.LARGE);

    private <T> T readAs(Class<T> type) {
        return type.cast(read(WAITS, Invoice.class, type));
    }

    private Object read(Object older, Type olderType, Type type) {
        return payloads.read(payloads.write(older, olderType), null, type);
    }

    private void waits(Object older, Type olderType, Type type, String path) {
        assertThatExceptionOfType(UnreadablePayloadException.class)
                .isThrownBy(() -> read(older, olderType, type))
                .withMessageContaining("at " + path + " (");
    }

    record Grown(
            String id,
            int amount,
            int copies,
            long stamp,
            double rate,
            boolean urgent,
            char mark,
            String note,
            List<String> tags,
            Optional<String> hint) {}

    @Test
    void newComponentHasItsDefault() {
        assertThat(readAs(Grown.class))
                .isEqualTo(new Grown("4711", 3, 0, 0, 0, false, '\0', null, null, Optional.empty()));
    }

    record Demanding(String id, String currency) {
        Demanding {
            currency = Objects.requireNonNullElse(currency, "EUR");
        }
    }

    @Test
    void newComponentMayGetAnotherDefaultInTheConstructor() {
        assertThat(readAs(Demanding.class)).isEqualTo(new Demanding("4711", "EUR"));
    }

    record Strict(String id, String currency) {
        Strict {
            Objects.requireNonNull(currency);
        }
    }

    @Test
    void constructorThatThrowsLeavesTheRowWaiting() {
        waits(WAITS, Invoice.class, Strict.class, "$");
    }

    record Shrunk(String id) {}

    @Test
    void removedComponentIsIgnored() {
        assertThat(readAs(Shrunk.class)).isEqualTo(new Shrunk("4711"));
    }

    record Renamed(
            @JsonAlias("id") String number,
            @JsonAlias("amount") int cents) {}

    @Test
    void renamedComponentIsReadByItsAlias() {
        assertThat(readAs(Renamed.class)).isEqualTo(new Renamed("4711", 3));
        assertThat(payloads.write(new Renamed("1", 2), Renamed.class))
                .asString()
                .contains("number", "cents");
    }

    record Widened(String id, BigDecimal amount) {}

    record AsLong(long amount) {}

    record AsText(String amount) {}

    record AsDecimal(BigDecimal amount) {}

    record AsInt(int amount) {}

    record AsByte(Byte amount) {}

    record AsFloat(float amount) {}

    record AsDouble(double amount) {}

    @Test
    void widerNumberReadsTheNarrowerOne() {
        assertThat(readAs(Widened.class)).isEqualTo(new Widened("4711", new BigDecimal(3)));
        assertThat(readAs(AsLong.class)).isEqualTo(new AsLong(3));
        assertThat(readAs(AsText.class)).isEqualTo(new AsText("3"));
    }

    @Test
    void narrowerNumberReadsWhatFits() {
        assertThat(read(new AsLong(3), AsLong.class, AsInt.class)).isEqualTo(new AsInt(3));
        waits(new AsLong(1L << 40), AsLong.class, AsInt.class, "$.amount");
        waits(new AsDecimal(new BigDecimal("1.9")), AsDecimal.class, AsInt.class, "$.amount");
        assertThat(read(new AsLong(-128), AsLong.class, AsByte.class)).isEqualTo(new AsByte((byte) -128));
        waits(new AsLong(200), AsLong.class, AsByte.class, "$.amount");
        assertThat(read(new AsDouble(1e30), AsDouble.class, AsFloat.class)).isEqualTo(new AsFloat(1e30f));
        waits(new AsDouble(1e300), AsDouble.class, AsFloat.class, "$.amount");
        waits(new AsDecimal(new BigDecimal("1e400")), AsDecimal.class, AsDouble.class, "$.amount");
        waits(new AsLong(Long.MAX_VALUE), AsLong.class, AsByte.class, "$.amount");
    }

    /** A limit of Jackson's, which says no place. */
    @Test
    void numberOfVeryManyDigitsLeavesTheRowWaiting() {
        Map<String, BigInteger> huge = Map.of("amount", new BigInteger("1".repeat(1_200)));
        byte[] row = payloads.write(huge, null);
        assertThatExceptionOfType(UnreadablePayloadException.class)
                .isThrownBy(() -> payloads.read(row, null, AsDecimal.class))
                .withMessageEndingWith(": at $, StreamConstraintsException");
    }

    enum Sizes {
        @JsonAlias("SMALL")
        TINY,
        @JsonAlias("LARGE")
        HUGE
    }

    record Resized(Sizes size) {}

    enum Fewer {
        SMALL
    }

    record Reduced(Fewer size) {}

    @Test
    void renamedConstantIsReadByItsAlias() {
        assertThat(readAs(Resized.class)).isEqualTo(new Resized(Sizes.HUGE));
    }

    @Test
    void removedConstantLeavesTheRowWaiting() {
        waits(WAITS, Invoice.class, Reduced.class, "$.size");
    }

    /** As if it were in another package: rows name no class. */
    static final class Elsewhere {
        record Bill(String id, int amount, Size size) {}
    }

    @Test
    void renamedOrMovedClassReadsItsRows() {
        assertThat(readAs(Elsewhere.Bill.class)).isEqualTo(new Elsewhere.Bill("4711", 3, Size.LARGE));
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
    sealed interface Event {}

    record Paid(int cents) implements Event {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
    sealed interface Moved {}

    record Settled(int cents) implements Moved {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(
            @JsonSubTypes.Type(
                    value = Received.class,
                    names = {"Received", "Paid"}))
    sealed interface Named {}

    record Received(int cents) implements Named {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = Old.class, name = "Paid"))
    sealed interface OldNamed {}

    record Old(int cents) implements OldNamed {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    sealed interface ByClass {}

    record Kept(int cents) implements ByClass {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    sealed interface ByOtherClass {}

    record Gone(int cents) implements ByOtherClass {}

    @Test
    void renamedSubtypeIsReadByItsFormerName() {
        assertThat(read(new Old(3), OldNamed.class, Named.class)).isEqualTo(new Received(3));
    }

    @Test
    void subtypeNamedByItsClassDoesNotSurviveAMove() {
        waits(new Kept(3), ByClass.class, ByOtherClass.class, "$");
        waits(new Paid(3), Event.class, Moved.class, "$");
    }

    @Test
    void oneThatBecomesAListLeavesTheRowWaiting() {
        waits(WAITS, Invoice.class, new ParameterizedTypeReference<List<Invoice>>() {}.getType(), "$");
    }

    @Test
    void payloadMayGoOrCome() {
        assertThat(readAs(Object.class)).isNotNull();
        assertThat(read(WAITS, Invoice.class, Void.class)).isNull();
        assertThat(payloads.read(payloads.write(null, Void.class), null, Invoice.class))
                .isNull();
    }
}
