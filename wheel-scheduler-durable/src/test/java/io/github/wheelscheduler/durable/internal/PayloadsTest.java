package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.lang.reflect.Type;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.json.JsonMapper;

/** What is scheduled can be read again. */
class PayloadsTest {

    private final Payloads payloads = new Payloads(JsonMapper.builder().build());

    @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
    sealed interface Shape {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

    /** Says nothing of which of them it is. */
    sealed interface Silent {}

    record Whisper(int volume) implements Silent {}

    private static final Type SHAPES = new ParameterizedTypeReference<List<Shape>>() {}.getType();

    @Test
    void aListOfASealedTypeIsReadAsItWasWritten() {
        List<Shape> shapes = List.of(new Circle(1), new Square(2));
        assertThat(payloads.read(payloads.write(shapes, SHAPES), SHAPES)).isEqualTo(shapes);
    }

    @Test
    void whatItsHandlerCannotReadIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> payloads.write(new Whisper(1), Silent.class))
                .withMessage("payload must be something that its handler can read as " + Silent.class.getName()
                        + ", was a " + Whisper.class.getName());
    }

    @Test
    void whatNobodyHereReadsIsWrittenAsItIs() {
        assertThat(payloads.write(new Whisper(1), null)).asString().isEqualTo("{\"volume\":1}");
        assertThat(payloads.read(payloads.write(null, SHAPES), SHAPES)).isNull();
    }
}
