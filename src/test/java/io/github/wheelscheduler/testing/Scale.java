package io.github.wheelscheduler.testing;

/**
 * The length of tests that can run for any time: {@code -Dwheel.test.scale=short}, as in a usual build, {@code full},
 * as with {@code -Pfull}, or {@code long}, as with {@code -Pstress}.
 */
public final class Scale {

    private static final String PROPERTY = "wheel.test.scale";

    private Scale() {}

    /** Returns the first number in a usual build and with {@code -Pfull}, the second at full length. */
    public static int of(int inEveryBuild, int atFullLength) {
        return of(inEveryBuild, inEveryBuild, atFullLength);
    }

    /** Returns the first number in a usual build, the second with {@code -Pfull}, the third with {@code -Pstress}. */
    public static int of(int usual, int full, int stress) {
        String scale = System.getProperty(PROPERTY, "short");
        return switch (scale) {
            case "short" -> usual;
            case "full" -> full;
            case "long" -> stress;
            default -> throw new IllegalStateException(PROPERTY + " must be short, full or long, was " + scale);
        };
    }
}
