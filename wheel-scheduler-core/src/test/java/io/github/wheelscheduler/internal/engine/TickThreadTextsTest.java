package io.github.wheelscheduler.internal.engine;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.github.wheelscheduler.internal.inbox.Inbox;
import java.util.Set;

/** The tick thread makes no texts. */
@AnalyzeClasses(packages = "io.github.wheelscheduler", importOptions = ImportOption.DoNotIncludeTests.class)
class TickThreadTextsTest {

    private static final Set<Class<?>> TICK_THREADS = Set.of(
            TickLoop.class,
            Admission.class,
            HandOver.class,
            Dispatchers.class,
            Dispatcher.class,
            Backlog.class,
            StepQueue.class,
            SweepPlan.class,
            TickPass.class,
            WallClockWatch.class,
            Inbox.class);

    /**
     * While memory is short, an error may skip all handlers of a frame in which a text is being made, and so lose a
     * timer.
     */
    @ArchTest
    static final ArchRule tickThreadMakesNoTexts = noClasses()
            .should()
            .accessTargetWhere(describe("the tick thread makes a text", TickThreadTextsTest::makesTextOnTickThread));

    private static boolean makesTextOnTickThread(JavaAccess<?> access) {
        JavaClass from = access.getOriginOwner();
        String method = access.getOrigin().getName();
        boolean isTickThreads = TICK_THREADS.stream().anyMatch(from::isEquivalentTo)
                || (from.isEquivalentTo(GroupRefusals.class) && method.equals("newRefused"))
                || (from.isEquivalentTo(GroupRefusals.Refused.class)
                        && (method.equals("handOver") || method.equals("<init>")));
        JavaClass to = access.getTargetOwner();
        String called = access.getName();
        return isTickThreads
                && (to.isEquivalentTo(StringBuilder.class)
                        || (to.isEquivalentTo(GroupSlots.class) && called.equals("text"))
                        || called.equals("toString"));
    }
}
