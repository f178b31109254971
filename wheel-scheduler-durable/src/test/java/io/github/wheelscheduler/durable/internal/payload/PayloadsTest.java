package io.github.wheelscheduler.durable.internal.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.github.wheelscheduler.durable.PayloadFormat;
import io.github.wheelscheduler.durable.testing.ServiceModule;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Payloads can be read again, and do not depend on the JSON settings of the web API. */
public class PayloadsTest {

    private static final Type SHAPES = new ParameterizedTypeReference<List<Shape>>() {}.getType();
    private static final Type MAP = new ParameterizedTypeReference<Map<String, Object>>() {}.getType();
    private static final JsonMapper SNAKE_CASE = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();

    private final Payloads payloads = new Payloads(JsonMapper.builder().build(), List.of(PayloadFormat.standard()));

    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
    sealed interface Shape {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

    /** Says nothing of which of them it is. */
    sealed interface Silent {}

    record Whisper(int volume) implements Silent {}

    public record Order(String orderId, int itemCount) {}

    record Times(ZonedDateTime zoned, OffsetDateTime offset, Instant instant, LocalDate date, Duration length) {}

    public record Secret(int number, List<Order> orders) {}

    record Tags(Set<String> names, Map<String, Integer> counts) {}

    enum Size {
        SMALL;

        @Override
        public String toString() {
            return "as small as can be";
        }
    }

    /** Forgets what it has been given. */
    public static final class Forgetful {

        private final String given;

        public Forgetful() {
            this("nobody");
        }

        Forgetful(String given) {
            this.given = given;
        }

        public String getName() {
            return given;
        }
    }

    /** Throws what the user wrote, with the value. */
    record Strict(int amount) {
        Strict {
            if (amount < 0) {
                throw new IllegalStateException("amount was " + amount);
            }
        }
    }

    private Object roundTrip(Object payload, Type type) {
        return payloads.read(payloads.write(payload, type), null, type);
    }

    private static byte[] json(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] standard(String json) {
        return json("\u0001wheel-1\u0002" + json);
    }

    @Test
    void listOfASealedTypeIsReadAsItWasWritten() {
        List<Shape> shapes = List.of(new Circle(1), new Square(2));
        assertThat(roundTrip(shapes, SHAPES)).isEqualTo(shapes);
    }

    @Test
    void payloadUnreadableForItsHandlerIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> payloads.write(new Whisper(1), Silent.class))
                .withMessageStartingWith("payload must be something that its handler can read as "
                        + Silent.class.getName() + ", was a " + Whisper.class.getName() + ": at $ ");
    }

    @Test
    void payloadWithoutALocalReaderIsWrittenAsItIs() {
        assertThat(payloads.write(new Whisper(1), null)).isEqualTo(standard("{\"volume\":1}"));
        assertThat(payloads.read(payloads.write(null, SHAPES), null, SHAPES)).isNull();
    }

    // The standard format

    @Test
    void webSettingsChangeNoPayload() {
        byte[] written = payloads.write(new Order("4711", 3), Order.class);
        Payloads restarted = new Payloads(SNAKE_CASE, List.of(PayloadFormat.standard()));
        assertThat(restarted.read(written, null, Order.class)).isEqualTo(new Order("4711", 3));
    }

    @Test
    void unmarkedRowIsReadByTheApplicationsMapper() {
        Payloads snake = new Payloads(SNAKE_CASE, List.of(PayloadFormat.standard()));
        assertThat(snake.read(json("{\"order_id\":\"4711\",\"item_count\":3}"), null, Order.class))
                .isEqualTo(new Order("4711", 3));
    }

    @Test
    void columnSaysTheFormatOfUnmarkedBytes() {
        Payloads snake = new Payloads(SNAKE_CASE, List.of(PayloadFormat.standard()));
        assertThat(snake.read(json("{\"orderId\":\"4711\",\"itemCount\":3}"), "wheel-1", Order.class))
                .isEqualTo(new Order("4711", 3));
    }

    @Test
    void zonesAreKept() {
        for (String zone : List.of("Europe/Berlin", "UTC", "Z", "GMT", "+05:30", "America/New_York")) {
            // In the hour that comes twice in Berlin.
            ZonedDateTime zoned =
                    Instant.parse("2026-10-25T00:30:00.123456789Z").atZone(ZoneId.of(zone));
            for (ZonedDateTime time : List.of(zoned, zoned.plusHours(1))) {
                Times times = new Times(
                        time,
                        time.toOffsetDateTime(),
                        time.toInstant(),
                        time.toLocalDate(),
                        Duration.ofNanos(1_500_000_001));
                assertThat(roundTrip(times, Times.class)).isEqualTo(times);
            }
        }
    }

    @Test
    void decimalsInMapsKeepTheirScale() {
        Map<String, Object> map = Map.of("price", new BigDecimal("1.10"), "much", new BigDecimal("1E+30"));
        assertThat(roundTrip(map, MAP)).isEqualTo(map);
        JsonNode tree = (JsonNode) payloads.read(standard("{\"price\":1.10}"), null, JsonNode.class);
        assertThat(tree.get("price").decimalValue()).isEqualTo(new BigDecimal("1.10"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.9", "1.0", "12345678901", "\"1.9\""})
    void numberThatDoesNotFitIsNotCut(String number) {
        assertThatExceptionOfType(UnreadablePayloadException.class)
                .isThrownBy(() -> payloads.read(standard("{\"volume\":" + number + "}"), null, Whisper.class))
                .withMessageContaining("at $.volume ");
    }

    @Test
    void enumIsWrittenByName() {
        assertThat(payloads.write(Size.SMALL, Size.class)).isEqualTo(standard("\"SMALL\""));
        assertThat(roundTrip(Size.SMALL, Size.class)).isEqualTo(Size.SMALL);
    }

    @Test
    void modulesOfTheClassPathAreFound() throws Exception {
        assertThat(ServiceModule.withService(() -> PayloadFormat.standard().mapper().registeredModules().stream()
                        .map(module -> module.getModuleName())
                        .toList()))
                .contains(ServiceModule.NAME);
    }

    // Formats

    @Test
    void olderNodeCannotReadWhatIsMarked() {
        JsonMapper.Builder lenient = SNAKE_CASE.rebuild();
        for (JsonReadFeature feature : JsonReadFeature.values()) {
            lenient.enable(feature);
        }
        for (Object payload : List.of(new Order("4711", 3), List.of(1), "text", 7, true, Map.of("a", 1))) {
            byte[] written = payloads.write(payload, null);
            for (Type type : List.of(payload.getClass(), Object.class, JsonNode.class, Void.class, String.class)) {
                for (JsonMapper older : List.of(SNAKE_CASE, lenient.build())) {
                    assertThatExceptionOfType(JacksonException.class)
                            .isThrownBy(() -> older.readValue(written, older.constructType(type)));
                }
            }
        }
    }

    @Test
    void unknownFormatIsLeftToOthers() {
        for (String text : List.of("\u0001other\u0002{}", "\u0001", "\u0001\u0002", "\u0001" + "x".repeat(1_000))) {
            assertThatExceptionOfType(UnreadablePayloadException.class)
                    .isThrownBy(() -> payloads.read(json(text), null, Order.class))
                    .withMessageStartingWith("payload must be in a format of this node, which are [wheel-1], was in ")
                    .satisfies(ex -> assertThat(ex.getMessage()).hasSizeLessThan(150));
        }
        assertThatExceptionOfType(UnreadablePayloadException.class)
                .isThrownBy(() -> payloads.read(json("{}"), "other", Order.class));
    }

    @Test
    void formatOfTheUsersReplacesTheStandardOne() {
        PayloadFormat snake = PayloadFormat.of("snake", SNAKE_CASE);
        Payloads own = new Payloads(JsonMapper.builder().build(), List.of(snake, PayloadFormat.standard()));
        byte[] written = own.write(new Order("4711", 3), Order.class);
        assertThat(written).isEqualTo(json("\u0001snake\u0002{\"order_id\":\"4711\",\"item_count\":3}"));
        assertThat(own.read(written, null, Order.class)).isEqualTo(new Order("4711", 3));
        assertThat(own.read(payloads.write(new Order("4711", 3), Order.class), null, Order.class))
                .isEqualTo(new Order("4711", 3));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Payloads(SNAKE_CASE, List.of(snake, snake)))
                .withMessageContaining("two 'snake'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Upper", "wheel-2", "1st", "a\u0002", "none of them"})
    void nameOfAFormatIsChecked(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PayloadFormat.of(name, SNAKE_CASE))
                .withMessageStartingWith("name must be ");
    }

    // What is not the same

    @Test
    void lossyPayloadIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> payloads.write(new Forgetful("given"), Forgetful.class))
                .withMessage("payload must be the same when its handler has read it as " + Forgetful.class.getName()
                        + ", was a " + Forgetful.class.getName() + " that differs at $.name");
    }

    static class Account {

        @SuppressWarnings("unused")
        public String name = "current";
    }

    static final class Savings extends Account {

        @SuppressWarnings("unused")
        public int rate = 7;
    }

    record Held(Account account) {}

    @Test
    void propertyOfASubclassIsNotLost() {
        for (Object payload : List.of(new Savings(), new Held(new Savings()))) {
            Class<?> type = payload instanceof Savings ? Account.class : Held.class;
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> payloads.write(payload, type))
                    .withMessageStartingWith("payload must be the same when its handler has read it as ")
                    .withMessageEndingWith("rate");
        }
        assertThat(payloads.write(new Account(), Account.class)).asString().endsWith("{\"name\":\"current\"}");
        assertThat(roundTrip(new ArrayList<>(List.of(1)), ArrayList.class)).isEqualTo(List.of(1));
        assertThat(roundTrip(new Circle(3), Shape.class)).isEqualTo(new Circle(3));
    }

    @Test
    void payloadBeyondALimitIsRefusedWithTheReason() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> payloads.write(new BigInteger("1".repeat(1_200)), BigInteger.class))
                .withMessageEndingWith("was a java.math.BigInteger: at $, StreamConstraintsException");
        List<?> deep = List.of();
        for (int i = 0; i < 600; i++) {
            deep = List.of(deep);
        }
        List<?> deepest = deep;
        assertThatIllegalArgumentException()
                .isThrownBy(() -> payloads.write(deepest, List.class))
                .withMessageContaining("StreamConstraintsException");
    }

    @Test
    void setsAndMapsMayHaveAnyOrder() {
        Set<String> names = new LinkedHashSet<>();
        Map<String, Integer> counts = new LinkedHashMap<>();
        IntStream.range(0, 1_000).forEach(i -> {
            names.add("name " + -i);
            counts.put("count " + -i, i);
        });
        for (Tags tags : List.of(new Tags(names, counts), new Tags(new HashSet<>(names), new HashMap<>(counts)))) {
            assertThat(roundTrip(tags, Tags.class)).isEqualTo(tags);
        }
    }

    @Test
    void scaleThatIsLostIsRefused() {
        PayloadFormat lossy = PayloadFormat.of("lossy", JsonMapper.builder().build());
        Payloads own = new Payloads(SNAKE_CASE, List.of(lossy));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> own.write(Map.of("prices", List.of(new BigDecimal("1.10"))), MAP))
                .withMessageEndingWith("that differs at $.prices[0]");
    }

    // Why it cannot be read

    @Test
    void reasonHasPathAndCauseButNoValue() {
        assertReason("{\"number\":1,\"orders\":[{\"orderId\":\"a\",\"itemCount\":\"hush\"}]}", Secret.class)
                .contains(
                        "payload cannot be read as " + Secret.class.getName() + ": at $.orders[0].itemCount (",
                        "InvalidFormatException: Cannot deserialize value of type `int` from String");
        assertReason("{\"number\":\"hu'sh\",\"orders\":[]}", Secret.class).contains("$.number");
        assertReason("{\"number\":4711.5}", Secret.class).contains("$.number", "Cannot coerce", "int");
        assertReason("{\"number\":{\"hush\":1}}", Secret.class).contains("$.number");
        assertReason("{\"orders\":\"hush\"}", Secret.class)
                .contains("$.orders", "Cannot deserialize value of type `java.util.ArrayList<", "from String value");
        assertReason("\"hush\"", Shape.class).contains("at $ ");
        assertReason("{\"@type\":\"Hush\"}", Shape.class).contains("Could not resolve type id", "Shape");
        assertReason("hush", Secret.class).contains("Unrecognized token");
        assertReason("{\"number\":hush}", Secret.class).contains("Unrecognized token");
        assertReason("{\"number\":1", Secret.class).contains("Unexpected end-of-input");
        assertReason("{\"amount\":-4711}", Strict.class)
                .contains("ValueInstantiationException because of " + IllegalStateException.class.getName());
        assertReason("{\"date\":\"hush\"}", Times.class).contains("$.date", "LocalDate");
    }

    private org.assertj.core.api.AbstractStringAssert<?> assertReason(String json, Type type) {
        UnreadablePayloadException thrown = org.assertj.core.api.Assertions.catchThrowableOfType(
                UnreadablePayloadException.class, () -> payloads.read(standard(json), null, type));
        assertThat(thrown).as(json).isNotNull();
        return assertThat(thrown.getMessage())
                .doesNotContainIgnoringCase("hush")
                .doesNotContain("4711", "hu'sh", "\"a\"");
    }
}
