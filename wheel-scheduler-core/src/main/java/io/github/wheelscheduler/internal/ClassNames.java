package io.github.wheelscheduler.internal;

/** The names of classes, computed once for each. */
public final class ClassNames {

    private static final ClassValue<String> NAMES = new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
            String name = type.getName();
            int lambda = name.indexOf("$$Lambda");
            int proxy = name.indexOf("$$SpringCGLIB$$");
            if (lambda >= 0) {
                return name.substring(0, lambda) + ".lambda";
            }
            return proxy >= 0 ? name.substring(0, proxy) : name;
        }
    };

    private ClassNames() {}

    public static String of(Class<?> type) {
        return NAMES.get(type);
    }
}
