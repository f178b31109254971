package io.github.wheelscheduler.durable;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.jdk.NumberDeserializers;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.module.SimpleModule;

/** Refuses numbers that Jackson changes: 200 as a byte, and what is too large for a float or a double. */
final class ExactNumber extends DelegatingDeserializer {

    private ExactNumber(ValueDeserializer<?> standard) {
        super(standard);
    }

    static JacksonModule module() {
        SimpleModule module = new SimpleModule("wheel-numbers");
        for (Class<?> type : List.of(byte.class, Byte.class, float.class, Float.class, double.class, Double.class)) {
            add(module, type);
        }
        return module;
    }

    @SuppressWarnings("unchecked") // each returns what its type says
    private static <T> void add(SimpleModule module, Class<T> type) {
        ValueDeserializer<?> standard = NumberDeserializers.find(type);
        SimpleModule ignored =
                module.addDeserializer(type, (ValueDeserializer<T>) (ValueDeserializer<?>) new ExactNumber(standard));
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> other) {
        return new ExactNumber(other);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
        JsonToken token = parser.currentToken();
        Object value = super.deserialize(parser, context);
        boolean isChanged = token.isNumeric()
                && (value instanceof Byte b
                        ? parser.getIntValue() != b
                        : value instanceof Number number && Double.isInfinite(number.doubleValue()));
        return isChanged
                ? context.handleWeirdNumberValue(handledType(), (Number) value, "Numeric value does not fit")
                : value;
    }
}
