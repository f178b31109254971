package io.github.wheelscheduler.autoconfigure.testing;

import java.util.List;
import java.util.Map;
import org.springframework.boot.json.JsonParserFactory;

/**
 * The answer of a server.
 *
 * @param text the body, empty or an object in JSON
 */
public record Answer(int status, String text) {

    /** Returns the value at a path of names and indexes, such as {@code tasks.0.id}; null if there is none. */
    public Object at(String path) {
        Object value = JsonParserFactory.getJsonParser().parseMap(text);
        for (String step : path.split("\\.", -1)) {
            value = value instanceof List<?> list
                    ? list.get(Integer.parseInt(step))
                    : value instanceof Map<?, ?> map ? map.get(step) : null;
        }
        return value;
    }

    public String textAt(String path) {
        return String.valueOf(at(path));
    }

    public long numberAt(String path) {
        return at(path) instanceof Number number ? number.longValue() : -1;
    }

    public List<?> listAt(String path) {
        return at(path) instanceof List<?> list ? list : List.of();
    }
}
