package io.github.wheelscheduler.testing;

import static java.util.stream.Collectors.joining;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Array;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Writes types for a text of the API, with their arguments and with {@code @Nullable}, the same on each JDK.
 */
final class TypeText {

    private static final String LANGUAGE = "java.lang.";

    private TypeText() {}

    /** Returns the name, without the package of the language. */
    static String of(Class<?> type) {
        String name = type.getTypeName().replace('$', '.');
        return name.startsWith(LANGUAGE) && name.indexOf('.', LANGUAGE.length()) < 0
                ? name.substring(LANGUAGE.length())
                : name;
    }

    static String of(AnnotatedType type) {
        if (type instanceof AnnotatedArrayType array) {
            return of(array.getAnnotatedGenericComponentType()) + (isNullable(type) ? " @Nullable []" : "[]");
        }
        return (isNullable(type) ? "@Nullable " : "") + withoutAnnotation(type);
    }

    static String of(AnnotatedType[] types) {
        return Arrays.stream(types).map(TypeText::of).collect(joining(", "));
    }

    private static String withoutAnnotation(AnnotatedType type) {
        if (type instanceof AnnotatedParameterizedType parameterized) {
            Class<?> raw = (Class<?>) ((ParameterizedType) type.getType()).getRawType();
            return of(raw) + "<" + of(parameterized.getAnnotatedActualTypeArguments()) + ">";
        }
        if (type instanceof AnnotatedWildcardType wildcard) {
            return "?" + bound(" super ", wildcard.getAnnotatedLowerBounds())
                    + bound(" extends ", wildcard.getAnnotatedUpperBounds());
        }
        if (type instanceof AnnotatedTypeVariable) {
            return type.getType().getTypeName();
        }
        return of((Class<?>) type.getType());
    }

    /** Returns the parameters of a type or a method in angle brackets, or nothing. */
    static String of(TypeVariable<?>[] variables) {
        return variables.length == 0
                ? ""
                : Stream.of(variables)
                        .map(variable -> variable.getName() + bound(" extends ", variable.getAnnotatedBounds()))
                        .collect(joining(", ", "<", ">"));
    }

    private static String bound(String word, AnnotatedType[] bounds) {
        String text = Arrays.stream(bounds).map(TypeText::of).collect(joining(" & "));
        return text.isEmpty() || text.equals("Object") ? "" : word + text;
    }

    private static boolean isNullable(AnnotatedElement element) {
        return Arrays.stream(element.getAnnotations())
                .map(Annotation::annotationType)
                .map(Class::getSimpleName)
                .anyMatch("Nullable"::equals);
    }

    /** Returns a value that the compiler knows, as code has it. */
    static String ofValue(Object value) {
        if (value instanceof String text) {
            return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
        }
        if (value instanceof Class<?> type) {
            return of(type) + ".class";
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        if (value.getClass().isArray()) {
            return IntStream.range(0, Array.getLength(value))
                    .mapToObj(index -> ofValue(Array.get(value, index)))
                    .collect(joining(", ", "{", "}"));
        }
        return String.valueOf(value);
    }

    static String of(Type type) {
        return type instanceof Class<?> plain ? of(plain) : type.getTypeName();
    }
}
