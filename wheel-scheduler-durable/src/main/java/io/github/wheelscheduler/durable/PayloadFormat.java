package io.github.wheelscheduler.durable;

import java.util.Objects;
import java.util.regex.Pattern;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The format in which payloads are written into rows. Each payload begins with the name of its format, so that a node
 * which does not have that format leaves the row to others. A bean of this type replaces {@link #standard()} for what
 * is written; where there are several, the primary one does. All of them, and the standard one, are read.
 *
 * <p>A format must go on reading what it has written while rows wait: give another mapper another name, and keep the
 * bean of the old one until its rows have run.
 */
public final class PayloadFormat {

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9._-]{0,49}");
    private static final String OURS = "wheel-";

    private final String name;
    private final JsonMapper mapper;

    private PayloadFormat(String name, JsonMapper mapper) {
        this.name = name;
        this.mapper = Objects.requireNonNull(mapper, "mapper must not be null");
    }

    /**
     * Returns a format of an application's own.
     *
     * @param name 1 to 50 of the characters a to z, 0 to 9, '.', '_' and '-', beginning with a letter and not with
     *     {@code wheel-}
     * @param mapper writes and reads payloads; {@code standard().mapper().rebuild()} begins with the settings of the
     *     standard one
     */
    public static PayloadFormat of(String name, JsonMapper mapper) {
        if (!NAME.matcher(name).matches() || name.startsWith(OURS)) {
            throw new IllegalArgumentException(
                    "name must be 1 to 50 of a to z, 0 to 9, '.', '_' and '-', beginning with a letter and not with "
                            + OURS + ", was '" + name + "'");
        }
        return new PayloadFormat(name, mapper);
    }

    /**
     * Makes the standard format, {@code wheel-1}, which no property changes. It keeps zones and decimals, ignores
     * unknown properties, gives absent primitives their default, reads and writes enums by name, and refuses a number
     * that does not fit. It has the modules of the class path.
     */
    public static PayloadFormat standard() {
        JsonMapper mapper = JsonMapper.builder()
                .findAndAddModules(ClassUtils.getDefaultClassLoader())
                .addModule(ExactNumber.module())
                .disable(
                        DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                        DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
                        DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .enable(
                        DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS,
                        DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .disable(
                        DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
                        DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID,
                        DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS,
                        DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .disable(EnumFeature.READ_ENUMS_USING_TO_STRING, EnumFeature.WRITE_ENUMS_USING_TO_STRING)
                .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .build();
        return new PayloadFormat(OURS + "1", mapper);
    }

    /** Returns the name that its payloads begin with. */
    public String name() {
        return name;
    }

    public JsonMapper mapper() {
        return mapper;
    }

    @Override
    public String toString() {
        return name;
    }
}
