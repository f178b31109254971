package io.github.wheelscheduler.testing;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Writes the API of compiled classes, one line a type or member: public types of {@link HeldPackages} with their public
 * members, and protected members of types that programs may extend. A member of an ancestor that is not held counts as
 * the type's own. A member that names a type of ours which is not held is left out, as no
 * program can have such an object.
 */
final class ApiText {

    private static final String OURS = "io.github.wheelscheduler.";
    private static final Set<String> OF_EACH_RECORD = Set.of("equals", "hashCode", "toString");

    private final Set<String> packages;
    private final List<String> lines = new ArrayList<>();

    private ApiText(Set<String> packages) {
        this.packages = packages;
    }

    /** Returns the lines, in no order, of the classes below the folder, which are on the class path. */
    static List<String> of(Path classes, Set<String> packages) throws IOException {
        ApiText text = new ApiText(packages);
        try (Stream<Path> files = Files.walk(classes)) {
            files.map(file -> classes.relativize(file).toString().replace('\\', '/'))
                    .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .filter(name -> packages.contains(name.substring(0, name.lastIndexOf('.'))))
                    .map(ApiText::load)
                    .filter(text::isHeld)
                    .forEach(text::addType);
        }
        return text.lines;
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, ApiText.class.getClassLoader());
        } catch (ClassNotFoundException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private boolean isHeld(Class<?> type) {
        Class<?> outer = type.getDeclaringClass();
        return packages.contains(type.getPackageName())
                && (Modifier.isPublic(type.getModifiers()) || Modifier.isProtected(type.getModifiers()))
                && !type.isAnonymousClass()
                && !type.isLocalClass()
                && (outer == null || isHeld(outer));
    }

    /** Whether a program can have an object of the type at all. */
    private boolean isKnown(Class<?> type) {
        Class<?> element = type;
        while (element.isArray()) {
            element = Objects.requireNonNull(element.getComponentType());
        }
        return !element.getName().startsWith(OURS) || isHeld(element);
    }

    private void addType(Class<?> type) {
        boolean isOpen = isOpen(type);
        lines.add(TypeText.of(type) + ": " + header(type, isOpen));
        for (Field field : type.getDeclaredFields()) {
            if (isVisible(field, isOpen) && isKnown(field.getType())) {
                add(type, field(field));
            }
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            if (isVisible(constructor, isOpen) && areKnown(constructor.getParameterTypes())) {
                add(type, modifiers(constructor, Modifier.PROTECTED) + "new" + parameters(constructor));
            }
        }
        for (Method method : methods(type)) {
            if (isVisible(method, isOpen)
                    && isKnown(method.getReturnType())
                    && areKnown(method.getParameterTypes())
                    && !isOfEachType(type, method)) {
                add(type, method(type, method, isOpen));
            }
        }
    }

    private void add(Class<?> type, String member) {
        lines.add(TypeText.of(type) + ": " + member);
    }

    private boolean areKnown(Class<?>[] types) {
        return Arrays.stream(types).allMatch(this::isKnown);
    }

    /** Whether programs can extend it. */
    private static boolean isOpen(Class<?> type) {
        return !type.isInterface()
                && !Modifier.isFinal(type.getModifiers())
                && !type.isSealed()
                && Arrays.stream(type.getDeclaredConstructors()).anyMatch(constructor -> isVisible(constructor, true));
    }

    private static boolean isVisible(Member member, boolean isOpen) {
        return !member.isSynthetic()
                && (Modifier.isPublic(member.getModifiers())
                        || (isOpen && Modifier.isProtected(member.getModifiers())));
    }

    private static boolean isOfEachType(Class<?> type, Method method) {
        boolean ofEnum = type.isEnum()
                && (method.getName().equals("values") || method.getName().equals("valueOf"));
        return ofEnum || OF_EACH_RECORD.contains(method.getName());
    }

    private String header(Class<?> type, boolean isOpen) {
        StringBuilder header = new StringBuilder(deprecated(type.isAnnotationPresent(Deprecated.class)));
        header.append(type.isAnnotation() ? "@interface" : type.isInterface() ? "interface" : kind(type, isOpen));
        header.append(TypeText.of(type.getTypeParameters()));
        List<String> above = new ArrayList<>();
        Class<?> ancestor = type.getSuperclass();
        while (ancestor != null && !isKnown(ancestor)) {
            ancestor = ancestor.getSuperclass();
        }
        if (ancestor != null && ancestor != Object.class && ancestor != Enum.class && ancestor != Record.class) {
            above.add(
                    ancestor == type.getSuperclass()
                            ? TypeText.of(Objects.requireNonNull(type.getAnnotatedSuperclass()))
                            : TypeText.of(ancestor));
        }
        interfaces(type).stream().sorted().forEach(above::add);
        return header.append(above.isEmpty() ? "" : " is " + String.join(", ", above))
                .toString();
    }

    private static String kind(Class<?> type, boolean isOpen) {
        if (type.isEnum()) {
            return "enum";
        }
        if (type.isRecord()) {
            return "record "
                    + Arrays.stream(type.getRecordComponents())
                            .map(component -> TypeText.of(component.getAnnotatedType()) + " " + component.getName())
                            .collect(joining(", ", "(", ")"));
        }
        String openness = isOpen ? "open " : "";
        return openness + (Modifier.isAbstract(type.getModifiers()) ? "abstract class" : "class");
    }

    /** Returns the interfaces that it or an ancestor which is not held implements. */
    private Set<String> interfaces(Class<?> type) {
        Set<String> names = new LinkedHashSet<>();
        for (var one : type.getAnnotatedInterfaces()) {
            Class<?> plain = one.getType() instanceof java.lang.reflect.ParameterizedType parameterized
                    ? (Class<?>) parameterized.getRawType()
                    : (Class<?>) one.getType();
            if (isKnown(plain)) {
                names.add(TypeText.of(one));
            } else {
                names.addAll(interfaces(plain));
            }
        }
        Class<?> above = type.getSuperclass();
        if (above != null && !isKnown(above)) {
            names.addAll(interfaces(above));
        }
        names.remove("java.lang.annotation.Annotation");
        return names;
    }

    /** Returns its own methods, and those of ancestors that are not held. */
    private Iterable<Method> methods(Class<?> type) {
        Map<String, Method> methods = new LinkedHashMap<>();
        addMethods(type, methods);
        return methods.values();
    }

    private void addMethods(Class<?> type, Map<String, Method> methods) {
        for (Method method : type.getDeclaredMethods()) {
            if (!method.isBridge()) {
                methods.putIfAbsent(method.getName() + Arrays.toString(method.getParameterTypes()), method);
            }
        }
        Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()))
                .filter(above -> !isKnown(above))
                .forEach(above -> addMethods(above, methods));
    }

    private static String field(Field field) {
        if (field.isEnumConstant()) {
            return deprecated(field.isAnnotationPresent(Deprecated.class)) + field.getName();
        }
        return modifiers(field, Modifier.PROTECTED | Modifier.STATIC | Modifier.FINAL)
                + TypeText.of(field.getAnnotatedType())
                + " "
                + field.getName()
                + constant(field);
    }

    /** Returns the value that the compiler copies into programs. */
    private static String constant(Field field) {
        boolean isCopied = field.getType().isPrimitive() || field.getType() == String.class;
        if (!isCopied || !Modifier.isStatic(field.getModifiers()) || !Modifier.isFinal(field.getModifiers())) {
            return "";
        }
        try {
            return " = " + TypeText.ofValue(field.get(null));
        } catch (IllegalAccessException ex) {
            return ""; // protected
        }
    }

    private static String method(Class<?> type, Method method, boolean isOpen) {
        int shown = Modifier.PROTECTED | Modifier.STATIC | (isOpen ? Modifier.FINAL : 0);
        boolean isAbstract = Modifier.isAbstract(method.getModifiers()) && !type.isAnnotation();
        String usual = method.getDefaultValue() == null ? "" : " default " + TypeText.ofValue(method.getDefaultValue());
        String variables = TypeText.of(method.getTypeParameters());
        return modifiers(method, shown)
                + (isAbstract ? "abstract " : "")
                + (variables.isEmpty() ? "" : variables + " ")
                + TypeText.of(method.getAnnotatedReturnType())
                + " "
                + method.getName()
                + parameters(method)
                + usual;
    }

    private static String parameters(Executable executable) {
        String parameters = TypeText.of(executable.getAnnotatedParameterTypes());
        if (executable.isVarArgs()) {
            parameters = parameters.substring(0, parameters.length() - "[]".length()) + "...";
        }
        String thrown = Arrays.stream(executable.getGenericExceptionTypes())
                .map(TypeText::of)
                .sorted()
                .collect(joining(", "));
        return "(" + parameters + ")" + (thrown.isEmpty() ? "" : " throws " + thrown);
    }

    private static <M extends Member & java.lang.reflect.AnnotatedElement> String modifiers(M member, int shown) {
        String modifiers = Modifier.toString(member.getModifiers() & shown);
        return deprecated(member.isAnnotationPresent(Deprecated.class)) + (modifiers.isEmpty() ? "" : modifiers + " ");
    }

    private static String deprecated(boolean isDeprecated) {
        return isDeprecated ? "@Deprecated " : "";
    }
}
