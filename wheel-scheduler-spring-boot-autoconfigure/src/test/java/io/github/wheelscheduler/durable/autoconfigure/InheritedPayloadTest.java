package io.github.wheelscheduler.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.durable.DurableHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** The payload of an inherited handler is read as the type that the class of the bean gives it. */
class InheritedPayloadTest {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    record Order(String number) {}

    abstract static class Base<T> {
        @DurableHandler("x")
        @SuppressWarnings("unused") // found by its annotation
        void run(T payload) {}
    }

    abstract static class OfList<T> {
        @DurableHandler("x")
        @SuppressWarnings("unused") // found by its annotation
        void run(List<T> payload) {}
    }

    abstract static class OfArray<T> {
        @DurableHandler("x")
        @SuppressWarnings("unused") // found by its annotation
        void run(T[] payload) {}
    }

    static final class Lists extends Base<List<Order>> {}

    static final class ListsOfLists extends OfList<List<Order>> {}

    static final class Orders extends OfList<Order> {}

    static final class Maps extends Base<Map<String, ? extends List<Order>>> {}

    static final class Arrays extends OfArray<Order> {}

    static final class ArraysOfLists extends OfArray<List<Order>> {}

    static final class OrdersAlone extends Base<Order> {}

    private static Object read(Class<?> bean, String json) {
        Method method =
                DurableHandlerMethods.methodsOf(bean).keySet().iterator().next();
        Type type = DurableHandlerMethods.payloadTypeOf(method, bean);
        return MAPPER.readValue(json, MAPPER.constructType(type));
    }

    @ParameterizedTest
    @ValueSource(classes = {Lists.class, Orders.class})
    void listHasItsElements(Class<?> bean) {
        assertThat(read(bean, "[{\"number\":\"1\"}]")).isEqualTo(List.of(new Order("1")));
    }

    @Test
    void listInAListHasItsElements() {
        assertThat(read(ListsOfLists.class, "[[{\"number\":\"1\"}]]")).isEqualTo(List.of(List.of(new Order("1"))));
    }

    @Test
    void mapHasItsValues() {
        assertThat(read(Maps.class, "{\"a\":[{\"number\":\"1\"}]}")).isEqualTo(Map.of("a", List.of(new Order("1"))));
    }

    @Test
    void arrayHasItsElements() {
        assertThat(read(Arrays.class, "[{\"number\":\"1\"}]")).isEqualTo(new Order[] {new Order("1")});
    }

    @Test
    void arrayOfListsHasItsElements() {
        assertThat(read(ArraysOfLists.class, "[[{\"number\":\"1\"}]]"))
                .isInstanceOfSatisfying(
                        List[].class, lists -> assertThat(lists).containsExactly(List.of(new Order("1"))));
    }

    @Test
    void classIsReadAsItself() {
        assertThat(read(OrdersAlone.class, "{\"number\":\"1\"}")).isEqualTo(new Order("1"));
    }
}
