package io.github.wheelscheduler.benchmarks.contender;

import java.time.Duration;

/** Makes contenders from their names, such as {@code stpe} or, with a number of workers, {@code tpts/8}. */
public final class Contenders {

    private static final int DEFAULT_POOL = 2;

    private Contenders() {}

    /**
     * Makes a contender and starts what it needs.
     *
     * @throws IllegalArgumentException if there is none of this name, or this JDK does not have it
     */
    public static Contender create(String name) {
        int slash = name.indexOf('/');
        String kind = slash < 0 ? name : name.substring(0, slash);
        int workers = slash < 0 ? 0 : Integer.parseInt(name.substring(slash + 1));
        int pool = workers > 0 ? workers : DEFAULT_POOL;
        return switch (kind) {
            case "wheel" -> workers > 0 ? WheelContender.withWorkers(workers) : WheelContender.withDefaults();
            case "wheel-tolerant" -> WheelContender.withTolerance(Duration.ofMillis(2));
            case "wheel-group" -> WheelContender.withGroup(pool);
            case "wheel-netty" -> NettyContender.onTheWheel();
            case "wheel-virtual" -> WheelContender.withThreadPerRun(VirtualThreads.factory());
            case "wheel-spring" ->
                workers > 0 ? WheelSpringContender.withWorkers(workers) : WheelSpringContender.withDefaults();
            case "wheel-spring-meters" -> WheelSpringContender.withMeters();
            case "wheel-spring-histograms" -> WheelSpringContender.withHistograms();
            case "stpe" -> new StpeContender(Math.max(1, workers));
            case "fjp" -> new ForkJoinContender(pool);
            case "tpts" -> TptsContender.withPoolOf(pool);
            case "sats" -> SatsContender.withDefaults();
            case "hwt" -> NettyContender.withoutWorkers();
            case "hwt+x" -> NettyContender.withWorkers(pool);
            case "kafka" -> KafkaContender.withDefaults();
            case "agrona" -> AgronaContender.withWorkers(pool);
            case "virtual" -> VirtualContender.create();
            case "bare-wheel" -> new BareWheelContender();
            case "bare-linked" -> new BareLinkedContender();
            case "bare-jvm" -> new NoContender();
            default -> throw new IllegalArgumentException("contender must be a known one, was " + name);
        };
    }

    /** Whether it is one of ours, for which all promises are checked. */
    public static boolean isOurs(String name) {
        return name.startsWith("wheel");
    }

    /** Whether the JDK of this feature version has it. */
    public static boolean isOn(int javaVersion, String name) {
        boolean needs25 = name.startsWith("fjp");
        boolean needs21 = name.equals("wheel-virtual") || name.equals("virtual");
        return !(needs25 && javaVersion < 25) && !(needs21 && javaVersion < 21);
    }
}
