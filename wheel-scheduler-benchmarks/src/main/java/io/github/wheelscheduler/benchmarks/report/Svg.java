package io.github.wheelscheduler.benchmarks.report;

import java.util.List;
import java.util.Locale;

/** A picture as text, with shapes that need neither a display nor a font to be written. */
final class Svg {

    static final int WIDTH = 860;
    static final int HEIGHT = 400;
    static final int LEFT = 70;
    static final int RIGHT = WIDTH - 20;
    static final int TOP = 70;
    static final int BOTTOM = HEIGHT - 50;

    private static final List<String> COLOURS = List.of(
            "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999", "#b8a900", "#000000",
            "#7b4fa3");
    private static final int LEGEND_STEP = 95;

    private final StringBuilder shapes = new StringBuilder();

    /** Starts with a title and the unit of the vertical axis, with its marks. */
    Svg(String title, String unit, LogAxis vertical) {
        text(WIDTH / 2.0, 24, "middle", 15, title);
        text(LEFT, TOP - 12, "middle", 11, unit);
        for (double mark : vertical.marks()) {
            double y = vertical.place(mark);
            line(LEFT, y, RIGHT, y, "#dddddd", 1);
            text(LEFT - 6, y + 4, "end", 11, Numbers.format(mark));
        }
    }

    static String colour(int index) {
        return COLOURS.get(index % COLOURS.size());
    }

    void legend(int index, String label) {
        double x = LEFT + 60 + index * (double) LEGEND_STEP;
        rectangle(x, TOP - 32, 11, 11, colour(index));
        text(x + 15, TOP - 22, "start", 11, label);
    }

    void rectangle(double x, double y, double width, double height, String colour) {
        add(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                x,
                y,
                width,
                height,
                colour));
    }

    void line(double x1, double y1, double x2, double y2, String colour, double width) {
        add(String.format(
                Locale.ROOT,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>",
                x1,
                y1,
                x2,
                y2,
                colour,
                width));
    }

    void dot(double x, double y, String colour) {
        add(String.format(Locale.ROOT, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>", x, y, colour));
    }

    void text(double x, double y, String anchor, int size, String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        add(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\">%s</text>",
                x,
                y,
                anchor,
                size,
                escaped));
    }

    private void add(String shape) {
        shapes.append(shape).append('\n');
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif">
                <rect width="%d" height="%d" fill="#ffffff"/>
                %s</svg>
                """, WIDTH, HEIGHT, WIDTH, HEIGHT, shapes);
    }
}
