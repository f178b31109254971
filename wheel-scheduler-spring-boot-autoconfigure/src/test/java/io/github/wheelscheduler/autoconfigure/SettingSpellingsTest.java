package io.github.wheelscheduler.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.WheelTask;
import io.github.wheelscheduler.spring.settings.TaskSettings;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.scheduling.annotation.Scheduled;

/** A setting of a task is spelled in three places: the annotation, the properties, and {@link TaskSettings}. */
class SettingSpellingsTest {

    /** Settings of Spring's own annotation. */
    private static final Set<String> OF_SCHEDULED = Set.of("cron", "zone", "fixedRate", "fixedDelay", "initialDelay");

    private static final Set<String> NO_SETTINGS = Set.of("isNothing", "toMap", "hashCode", "toString", "id", "value");

    private static Map<String, Class<?>> table() {
        Map<String, Class<?>> table = new TreeMap<>();
        TaskSettings nothing = TaskSettings.of((setting, type) -> {
            table.put(setting, type);
            return null;
        });
        assertThat(nothing).isEqualTo(TaskSettings.NONE);
        return table;
    }

    private static Map<String, Class<?>> properties(Class<?> type, String before) {
        Map<String, Class<?>> properties = new TreeMap<>();
        for (RecordComponent component : type.getRecordComponents()) {
            String name = before + DataObjectPropertyName.toDashedForm(component.getName());
            if (component.getType().isRecord()) {
                properties.putAll(properties(component.getType(), name + "."));
            } else {
                properties.put(name, component.getType());
            }
        }
        return properties;
    }

    private static Collection<String> members(Class<?> annotation, String before) {
        Collection<String> members = new ArrayList<>();
        for (Method member : annotation.getDeclaredMethods()) {
            Class<?> type = member.getReturnType();
            if (type.isArray() && type.getComponentType().isAnnotation()) {
                members.addAll(members(type.getComponentType(), before + member.getName() + "."));
            } else if (!NO_SETTINGS.contains(member.getName())) {
                members.add(before + member.getName());
            }
        }
        return members;
    }

    /** Returns the names of an object's methods that have so many parameters. */
    private static List<String> methods(Class<?> type, int parameters) {
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers()))
                .filter(method -> method.getParameterCount() == parameters)
                .map(Method::getName)
                .filter(name -> !NO_SETTINGS.contains(name))
                .toList();
    }

    private static List<String> namesInCode(Collection<String> settings) {
        return settings.stream()
                .map(setting -> Pattern.compile("-(.)")
                        .matcher(setting)
                        .replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT)))
                .toList();
    }

    @Test
    void everySettingIsAPropertyOfTheSameType() {
        assertThat(properties(TaskProperties.class, "")).isEqualTo(table());
    }

    @Test
    void everySettingIsAMemberOfOurAnnotationOrOfSprings() {
        assertThat(methods(Scheduled.class, 0)).containsAll(OF_SCHEDULED);
        assertThat(Stream.concat(members(WheelTask.class, "").stream(), OF_SCHEDULED.stream()))
                .containsExactlyInAnyOrderElementsOf(namesInCode(table().keySet()));
    }

    @Test
    void everySettingCanBeSetAndReadInCode() {
        List<String> settings = namesInCode(table().keySet());
        List<String> set = new ArrayList<>(methods(TaskSettings.Builder.class, 1));
        assertThat(set.remove("backOff")).as("all of a back-off at once").isTrue();
        assertThat(set)
                .containsExactlyInAnyOrderElementsOf(namesInCode(table().keySet().stream()
                        .map(name -> name.replace('.', '-'))
                        .toList()));
        assertThat(methods(TaskSettings.class, 0))
                .containsExactlyInAnyOrderElementsOf(settings.stream()
                        .map(name -> name.replaceAll("[.].*", ""))
                        .distinct()
                        .toList());
    }
}
