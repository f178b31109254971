package io.github.wheelscheduler.durable.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.github.wheelscheduler.durable.internal.row.OwnRetries;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A node claims what it can start soon, starts by turns of handlers, and gives back what it cannot start. In virtual
 * time.
 */
class ClaimedTasksTest {

    private static final int WORKERS = 10;
    private static final int ROOM = 2_000;
    private static final long MILLI = 1_000_000;
    private static final long LOOK = 400 * MILLI;
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final ClaimedTasks claimedTasks = new ClaimedTasks(WORKERS, LOOK);

    private long nowNanos;
    private int next;

    private Instant now() {
        return START.plusNanos(nowNanos);
    }

    private void pass(long millis) {
        nowNanos += millis * MILLI;
    }

    private Claim claim(String handler, Instant dueAt, int suspicions) {
        RowKey key = new RowKey(handler, "t" + next++, 1);
        return new Claim(
                new TaskRow(
                        key, null, null, dueAt, dueAt, 0, null, null, 0, suspicions, 0, 0, OwnRetries.NONE, null, null),
                1);
    }

    private void add(String handler, int count, Instant dueAt) {
        add(handler, count, dueAt, Integer.MAX_VALUE);
    }

    private void add(String handler, int count, Instant dueAt, int bound) {
        for (int i = 0; i < count; i++) {
            claimedTasks.add(claim(handler, dueAt, 0), bound);
        }
    }

    private @Nullable Claim start() {
        return claimedTasks.start(now(), nowNanos);
    }

    private String startedHandler() {
        return Objects.requireNonNull(start()).handlerName();
    }

    /** Starts as many as there are workers. */
    private List<Claim> startAll() {
        List<Claim> started = new ArrayList<>();
        for (Claim claim = start(); claim != null; claim = claimedTasks.running() < WORKERS ? start() : null) {
            started.add(claim);
        }
        return started;
    }

    private void end(List<Claim> claims) {
        for (Claim claim : claims) {
            boolean ignored = claimedTasks.ended(claim, nowNanos, true);
            claimedTasks.forget(claim);
        }
    }

    private Map<String, Integer> toClaim(String handler, int candidates) {
        return claimedTasks.toClaim(Map.of(handler, candidates), Map.of(), ROOM, nowNanos);
    }

    /** Lets runs of a handler take so long that it is measured. */
    private void measure(String handler, long millis) {
        for (int i = 0; i < 200; i++) {
            add(handler, 1, now());
            Claim claim = Objects.requireNonNull(start());
            pass(millis);
            end(List.of(claim));
        }
    }

    @Test
    void unmeasuredHandlerHasAClaimForEachFreeWorker() {
        assertThat(toClaim("new", 200)).isEqualTo(Map.of("new", WORKERS));
        add("new", 3, now());
        List<Claim> started = startAll();
        assertThat(started).hasSize(3);
        assertThat(toClaim("new", 200)).isEqualTo(Map.of("new", WORKERS - 3));
    }

    @Test
    void shortRunsAreClaimedByTheHundred() {
        measure("quick", 1);
        assertThat(toClaim("quick", 1_000)).isEqualTo(Map.of("quick", 1_000));
    }

    @Test
    void longRunsAreClaimedIfTheyStartBeforeTheNextPoll() {
        measure("slow", 100);
        assertThat(toClaim("slow", 1_000)).isEqualTo(Map.of("slow", 4 * WORKERS));
        add("slow", 4 * WORKERS, now());
        assertThat(toClaim("slow", 1_000)).isEmpty();
    }

    @Test
    void nodeWhoseWorkersHangClaimsNothing() {
        measure("quick", 1);
        add("quick", WORKERS, now());
        assertThat(startAll()).hasSize(WORKERS);
        pass(500);
        assertThat(toClaim("quick", 100)).isEmpty();
        assertThat(toClaim("other", 100)).isEmpty();
        assertThat(claimedTasks.holder(nowNanos)).isEqualTo("quick");
    }

    @Test
    void estimateRisesAtOnceAndFallsSlowly() {
        measure("h", 1);
        add("h", 1, now());
        Claim slow = Objects.requireNonNull(start());
        pass(100);
        end(List.of(slow));
        assertThat(toClaim("h", 1_000)).isEqualTo(Map.of("h", 4 * WORKERS));
        add("h", 1, now());
        Claim quick = Objects.requireNonNull(start());
        pass(1);
        end(List.of(quick));
        assertThat(toClaim("h", 1_000).get("h")).isBetween(4 * WORKERS, 6 * WORKERS);
    }

    @Test
    void runThatGoesOnCountsByItsAge() {
        measure("h", 1);
        add("h", 1, now());
        Claim going = Objects.requireNonNull(start());
        pass(10_000);
        // Nine workers are free, and a run may take ten seconds.
        assertThat(toClaim("h", 1_000)).isEqualTo(Map.of("h", WORKERS - 1));
        end(List.of(going));
    }

    @Test
    void handlersTakeTurns() {
        add("a", 5, now());
        add("b", 5, now());
        add("c", 1, now());
        List<String> started = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            started.add(startedHandler());
        }
        assertThat(started.subList(0, 3)).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(started.subList(3, 6)).containsOnly("a", "b");
    }

    @Test
    void newHandlerHasTheNextTurn() {
        add("a", 50, now().minusSeconds(5));
        for (int i = 0; i < 5; i++) {
            assertThat(startedHandler()).isEqualTo("a");
        }
        add("b", 1, now());
        assertThat(startedHandler()).isEqualTo("b");
    }

    @Test
    void nothingStartsBeforeItsTime() {
        add("a", 1, now().plusMillis(10));
        assertThat(start()).isNull();
        assertThat(claimedTasks.startable()).isEqualTo(new ClaimedTasks.Startable(1, now().plusMillis(10)));
        pass(10);
        assertThat(start()).isNotNull();
        assertThat(claimedTasks.startable().count()).isZero();
    }

    @Test
    void anotherHandlerIsClaimedThoughABacklogWaits() {
        measure("backlog", 100);
        add("backlog", 4 * WORKERS, now());
        List<Claim> started = startAll();
        assertThat(started).hasSize(WORKERS);
        pass(50);
        assertThat(claimedTasks.toClaim(Map.of("backlog", 200, "other", 3), Map.of(), ROOM, nowNanos))
                .isEqualTo(Map.of("other", 3));
    }

    @Test
    void rowsBehindHangingRunsAreReleasedAfterAPoll() {
        measure("h", 1);
        add("h", WORKERS + 5, now());
        assertThat(startAll()).hasSize(WORKERS);
        pass(300);
        assertThat(claimedTasks.removeStuck(now(), nowNanos)).isEmpty();
        pass(200);
        assertThat(claimedTasks.removeStuck(now(), nowNanos)).hasSize(5);
        assertThat(claimedTasks.waiting()).isZero();
    }

    @Test
    void rowsBehindTheFirstRunsOfAHandlerAreKept() {
        // A look is taken for how long they take, until one has ended.
        add("new", 2 * WORKERS, now());
        assertThat(startAll()).hasSize(WORKERS);
        pass(450);
        assertThat(claimedTasks.removeStuck(now(), nowNanos)).isEmpty();
        pass(400);
        assertThat(claimedTasks.removeStuck(now(), nowNanos)).hasSize(WORKERS);
    }

    @Test
    void oneLongerRunHasNothingGivenBack() {
        measure("h", 2);
        add("h", 1, now());
        Claim longer = Objects.requireNonNull(start());
        pass(50);
        end(List.of(longer));
        add("h", 500, now().minusSeconds(1));
        assertThat(claimedTasks.removeStuck(now(), nowNanos)).isEmpty();
    }

    @Test
    void rowsThatWaitForTheirTurnAreKept() {
        measure("slow", 300);
        add("slow", 2 * WORKERS, now().minusSeconds(10));
        assertThat(startAll()).hasSize(WORKERS);
        pass(50);
        assertThat(claimedTasks.removeStuck(now(), nowNanos)).isEmpty();
    }

    @Test
    void handlerMayHaveABound() {
        add("bound", 5, now(), 2);
        List<Claim> started = startAll();
        assertThat(started).hasSize(2);
        assertThat(claimedTasks.startable().count()).isZero();
        assertThat(claimedTasks.ended(started.get(0), nowNanos, true)).isTrue();
        assertThat(claimedTasks.startable().count()).isEqualTo(1);
        assertThat(claimedTasks.toClaim(Map.of("other", 1, "bound2", 100), Map.of("bound2", 3), ROOM, nowNanos))
                .containsEntry("bound2", 3)
                .containsEntry("other", 1);
    }

    @Test
    void oneSuspectRunsAtATime() {
        Claim first = claim("a", now(), 2);
        Claim second = claim("a", now(), 2);
        claimedTasks.add(first, Integer.MAX_VALUE);
        claimedTasks.add(second, Integer.MAX_VALUE);
        add("a", 1, now());
        Claim started = Objects.requireNonNull(start());
        assertThat(started.row().isSuspect()).isTrue();
        assertThat(Objects.requireNonNull(start()).row().isSuspect()).isFalse();
        assertThat(start()).isNull();
        assertThat(claimedTasks.ended(started, nowNanos, true)).isTrue();
        assertThat(Objects.requireNonNull(start()).row().isSuspect()).isTrue();
    }

    @Test
    void littleRoomGoesToTheHandlerWhoseTurnItIs() {
        for (String handler : List.of("a", "b")) {
            add(handler, 1, now());
            end(List.of(Objects.requireNonNull(start())));
        }
        assertThat(claimedTasks.toClaim(Map.of("a", 9, "b", 9), Map.of(), 4, nowNanos))
                .isEqualTo(Map.of("a", 4));
        assertThat(claimedTasks.toClaim(Map.of("a", 2, "b", 9), Map.of(), 4, nowNanos))
                .isEqualTo(Map.of("a", 2, "b", 2));
        assertThat(claimedTasks.toClaim(Map.of("a", 2), Map.of(), 0, nowNanos)).isEmpty();
    }

    @Test
    void knowledgeOfAHandlerGoesWithIt() {
        measure("a", 300);
        assertThat(toClaim("a", 1_000)).isNotEqualTo(toClaim("new", 1_000));
        claimedTasks.keepOnly(java.util.Set.of("a"));
        assertThat(toClaim("a", 1_000)).isNotEqualTo(toClaim("new", 1_000));
        claimedTasks.keepOnly(java.util.Set.of());
        assertThat(toClaim("a", 1_000).get("a")).isEqualTo(toClaim("new", 1_000).get("new"));
    }

    @Test
    void rowThatCannotBeNotedIsNotClaimed() {
        add("a", 1, now());
        RowKey key = new RowKey("a", "bad", 1);
        // Nothing can be compared with it, as if memory ran out.
        @SuppressWarnings("NullAway")
        Claim bad = new Claim(
                new TaskRow(key, null, null, null, null, 0, null, null, 0, 0, 0, 0, OwnRetries.NONE, null, null), 1);
        assertThatNullPointerException().isThrownBy(() -> claimedTasks.add(bad, Integer.MAX_VALUE));
        assertThat(claimedTasks.missing(List.of(key))).containsExactly(key);
        assertThat(claimedTasks.waiting()).isEqualTo(1);
        assertThat(start()).isNotNull();
        assertThat(start()).isNull();
    }

    @Test
    void runThatCouldNotStartWaitsAgain() {
        add("a", 1, now());
        Claim claim = Objects.requireNonNull(start());
        claimedTasks.putBack(claim);
        assertThat(claimedTasks.running()).isZero();
        assertThat(claimedTasks.waiting()).isEqualTo(1);
        assertThat(start()).isSameAs(claim);
        assertThat(claimedTasks.missing(List.of(claim.key()))).isEmpty();
        end(List.of(claim));
        assertThat(claimedTasks.missing(List.of(claim.key()))).containsExactly(claim.key());
    }

    // A cluster on paper

    /** Nodes that look in turns, workers that start and end runs, and one table. */
    private static final class Cluster {
        private final List<ClaimedTasks> nodes = new ArrayList<>();
        private final List<Claim> table = new ArrayList<>();
        private final List<Map.Entry<ClaimedTasks, Claim>> going = new ArrayList<>();
        private final Map<Claim, Long> startedMillis = new java.util.HashMap<>();
        private int claimed;
        private int givenBack;
        private long millis;

        Cluster(int count) {
            for (int i = 0; i < count; i++) {
                nodes.add(new ClaimedTasks(WORKERS, LOOK));
            }
        }

        private Instant now() {
            return START.plusMillis(millis);
        }

        private void look(ClaimedTasks node) {
            List<Claim> stuck = node.removeStuck(now(), millis * MILLI);
            givenBack += stuck.size();
            table.addAll(stuck);
            Map<String, Integer> candidates = new java.util.HashMap<>();
            Instant soon = now().plusSeconds(1);
            List<Claim> due = table.stream()
                    .filter(claim -> !claim.dueAt().isAfter(soon))
                    .sorted(Claim.BY_TIME)
                    .toList();
            due.forEach(claim -> candidates.merge(claim.handlerName(), 1, Integer::sum));
            candidates.replaceAll((handler, count) -> Math.min(200, count));
            Map<String, Integer> plan = node.toClaim(candidates, Map.of(), ROOM, millis * MILLI);
            for (Claim claim : due) {
                int left = plan.getOrDefault(claim.handlerName(), 0);
                if (left > 0) {
                    Integer ignored = plan.put(claim.handlerName(), left - 1);
                    claimed++;
                    boolean unused = table.remove(claim);
                    node.add(claim, Integer.MAX_VALUE);
                }
            }
        }

        /** Plays a millisecond: runs end and start, and each node looks at its time, or when it has nothing left. */
        void step(java.util.function.ToLongFunction<Claim> takesMillis) {
            boolean ignored = going.removeIf(run -> {
                if (millis - startedMillis.get(run.getValue()) < takesMillis.applyAsLong(run.getValue())) {
                    return false;
                }
                boolean unused = run.getKey().ended(run.getValue(), millis * MILLI, true);
                run.getKey().forget(run.getValue());
                return true;
            });
            for (int i = 0; i < nodes.size(); i++) {
                ClaimedTasks node = nodes.get(i);
                if ((millis + 130L * i) % 400 == 0 || (node.running() < WORKERS && node.waiting() == 0)) {
                    look(node);
                }
                while (node.running() < WORKERS) {
                    Claim claim = node.start(now(), millis * MILLI);
                    if (claim == null) {
                        break;
                    }
                    Long unused = startedMillis.put(claim, millis);
                    going.add(Map.entry(node, claim));
                }
            }
            millis++;
        }
    }

    @Test
    void nodesShareABurstOfLongRunsAndGiveHardlyAnyBack() {
        Cluster cluster = new Cluster(3);
        Instant due = START.plusSeconds(2);
        for (int i = 0; i < 300; i++) {
            cluster.table.add(claim("half a second", due, 0));
        }
        while (cluster.startedMillis.size() < 300) {
            cluster.step(claim -> 500);
            assertThat(cluster.millis).as("ms until all have started").isLessThan(8_000);
        }
        assertThat(Duration.ofMillis(cluster.millis - 2_000)).isLessThan(Duration.ofSeconds(6));
        assertThat(cluster.givenBack).isLessThan(cluster.claimed / 50);
    }

    @Test
    void backlogDelaysAnotherHandlerByAboutOneRun() {
        Cluster cluster = new Cluster(3);
        for (int i = 0; i < 3_000; i++) {
            cluster.table.add(claim("backlog", START, 0));
        }
        List<Claim> others = new ArrayList<>();
        while (cluster.millis < 9_000) {
            if (cluster.millis % 100 == 0) {
                Claim other = claim("other", cluster.now(), 0);
                others.add(other);
                cluster.table.add(other);
            }
            cluster.step(claim -> claim.handlerName().equals("backlog") ? 100 : 1);
        }
        List<Long> lateness = others.stream()
                .filter(cluster.startedMillis::containsKey)
                .map(claim -> cluster.startedMillis.get(claim)
                        - Duration.between(START, claim.dueAt()).toMillis())
                .sorted()
                .toList();
        assertThat(lateness).hasSizeGreaterThan(80);
        assertThat(lateness.get(lateness.size() * 99 / 100)).as("p99 in ms").isLessThan(250);
        assertThat(cluster.givenBack).isLessThan(cluster.claimed / 50);
    }

    private int free(String handler) {
        return claimedTasks.free(handler, now(), nowNanos);
    }

    @Test
    void workerIsFreeThatSoonEndsAShortRun() {
        assertThat(free("h")).isEqualTo(WORKERS);
        add("h", 4, now());
        add("h", 100, now().plusSeconds(1));
        assertThat(free("h")).isEqualTo(WORKERS - 4);
        assertThat(free("other")).isEqualTo(WORKERS - 4);
        assertThat(startAll()).hasSize(4);
        assertThat(free("other")).as("nobody knows how long they take").isEqualTo(WORKERS - 4);
        measure("short", 1);
        add("short", 2, now());
        assertThat(startedHandler()).isEqualTo("short");
        assertThat(startedHandler()).isEqualTo("short");
        assertThat(free("other")).isEqualTo(WORKERS - 4);
    }

    @Test
    void noWorkerIsFreeForMoreRunsOfAHandlerThanItMayHave() {
        add("bounded", 2, now(), 2);
        assertThat(startAll()).hasSize(2);
        assertThat(free("bounded")).isZero();
        assertThat(free("other")).isEqualTo(WORKERS - 2);
    }
}
