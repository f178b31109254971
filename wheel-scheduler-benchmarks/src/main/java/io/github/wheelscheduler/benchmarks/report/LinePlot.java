package io.github.wheelscheduler.benchmarks.report;

import java.util.List;
import java.util.Map;

/** A line per contender, on two logarithmic axes. */
final class LinePlot {

    /** A place on a line. */
    record Point(double x, double y) {}

    private LinePlot() {}

    /** Returns the picture. */
    static String of(String title, String xUnit, String yUnit, Map<String, List<Point>> lines) {
        List<Point> all = lines.values().stream().flatMap(List::stream).toList();
        LogAxis horizontal = new LogAxis(all.stream().map(Point::x).toList(), Svg.LEFT, Svg.RIGHT);
        LogAxis vertical = new LogAxis(all.stream().map(Point::y).toList(), Svg.BOTTOM, Svg.TOP);
        Svg svg = new Svg(title, yUnit, vertical);
        for (double mark : horizontal.marks()) {
            svg.text(horizontal.place(mark), Svg.BOTTOM + 18, "middle", 11, Numbers.format(mark));
        }
        svg.text((Svg.LEFT + Svg.RIGHT) / 2.0, Svg.BOTTOM + 38, "middle", 11, xUnit);
        int index = 0;
        for (Map.Entry<String, List<Point>> line : lines.entrySet()) {
            String colour = Svg.colour(index);
            svg.legend(index, line.getKey());
            double width = index == 0 ? 3 : 1.5;
            List<Point> points = line.getValue();
            for (int i = 0; i < points.size(); i++) {
                double x = horizontal.place(points.get(i).x());
                double y = vertical.place(points.get(i).y());
                svg.dot(x, y, colour);
                if (i > 0) {
                    Point before = points.get(i - 1);
                    svg.line(horizontal.place(before.x()), vertical.place(before.y()), x, y, colour, width);
                }
            }
            index++;
        }
        return svg.toString();
    }
}
