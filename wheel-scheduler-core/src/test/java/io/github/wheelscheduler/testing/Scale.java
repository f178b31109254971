package io.github.wheelscheduler.testing;

/** How much of a test that can run for any length of time is played: {@code -Dwheel.test.scale=short} or {@code long}. */
public final class Scale {

    private static final String PROPERTY = "wheel.test.scale";

    private Scale() {}

    /** Returns the first number in a usual build, the second at full length. */
    public static int of(int inEveryBuild, int atFullLength) {
        String scale = System.getProperty(PROPERTY, "short");
        return switch (scale) {
            case "short" -> inEveryBuild;
            case "long" -> atFullLength;
            default -> throw new IllegalStateException(PROPERTY + " must be short or long, was " + scale);
        };
    }
}
