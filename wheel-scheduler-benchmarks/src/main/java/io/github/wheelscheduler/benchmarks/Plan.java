package io.github.wheelscheduler.benchmarks;

import io.github.wheelscheduler.benchmarks.figure.Figure;
import io.github.wheelscheduler.benchmarks.figure.Figures;
import java.util.ArrayList;
import java.util.List;

/**
 * Which JVMs to start, in which order: repetitions outermost, so that noise hits all contenders alike.
 *
 * @param items one per JVM
 */
record Plan(List<Item> items) {

    private static final int FIRST_COMPLETE_JDK = 25;
    private static final int DEFAULT_JVMS = 5;
    private static final int DEFAULT_JVMS_ON_OLDER_JDKS = 3;
    private static final double START_SECONDS = 0.4;

    /** One JVM. */
    record Item(Figure figure, String variant, String contender, int java, int jvm) {

        double seconds() {
            return START_SECONDS + figure.seconds(variant, contender);
        }
    }

    /** Plans what the options ask for on a JDK of that feature version. */
    static Plan of(Options options, int java) {
        boolean isOlder = java < FIRST_COMPLETE_JDK;
        int defaultJvms = isOlder ? DEFAULT_JVMS_ON_OLDER_JDKS : DEFAULT_JVMS;
        int jvms = options.jvms() > 0 ? options.jvms() : defaultJvms;
        List<Item> items = new ArrayList<>();
        for (int jvm = 1; jvm <= jvms; jvm++) {
            for (Figure figure : Figures.ALL) {
                if (options.wantsFigure(figure.name()) && (!isOlder || figure.isOnOlderJdks())) {
                    addRound(items, options, figure, java, jvm);
                }
            }
        }
        return new Plan(List.copyOf(items));
    }

    private static void addRound(List<Item> items, Options options, Figure figure, int java, int jvm) {
        for (String variant : variants(figure, options)) {
            for (String contender : figure.contenders(variant)) {
                if (options.wantsVariant(variant)
                        && options.wantsContender(contender)
                        && figure.takesPart(java, contender)
                        && jvm <= figure.mostJvms(contender)) {
                    items.add(new Item(figure, variant, contender, java, jvm));
                }
            }
        }
    }

    private static List<String> variants(Figure figure, Options options) {
        return options.callers().isEmpty() ? figure.variants() : figure.variants(options.callers());
    }

    double seconds() {
        return items.stream().mapToDouble(Item::seconds).sum();
    }
}
