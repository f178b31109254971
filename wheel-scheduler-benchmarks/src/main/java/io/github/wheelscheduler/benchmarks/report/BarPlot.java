package io.github.wheelscheduler.benchmarks.report;

import java.util.List;
import java.util.Map;

/** Groups of bars, one group per contender, on a logarithmic axis. */
final class BarPlot {

    private BarPlot() {}

    /** Returns the picture; each series has a label and a value for each group. */
    static String of(String title, String unit, List<String> groups, Map<String, List<Double>> series) {
        List<Double> all = series.values().stream().flatMap(List::stream).toList();
        LogAxis axis = new LogAxis(all, Svg.BOTTOM, Svg.TOP);
        Svg svg = new Svg(title, unit, axis);
        double groupWidth = (double) (Svg.RIGHT - Svg.LEFT) / groups.size();
        double barWidth = Math.min(40, groupWidth * 0.84 / series.size());
        int index = 0;
        for (Map.Entry<String, List<Double>> bars : series.entrySet()) {
            svg.legend(index, bars.getKey());
            for (int group = 0; group < groups.size(); group++) {
                double middle = Svg.LEFT + (group + 0.5) * groupWidth;
                double x = middle + (index - series.size() / 2.0) * barWidth;
                double value = bars.getValue().get(group);
                double y = axis.place(value);
                svg.rectangle(x, y, barWidth - 1, Svg.BOTTOM - y, Svg.colour(index));
                svg.text(x + barWidth / 2, y - 3, "middle", 8, Numbers.format(value));
            }
            index++;
        }
        for (int group = 0; group < groups.size(); group++) {
            svg.text(Svg.LEFT + (group + 0.5) * groupWidth, Svg.BOTTOM + 18, "middle", 12, groups.get(group));
        }
        return svg.toString();
    }
}
