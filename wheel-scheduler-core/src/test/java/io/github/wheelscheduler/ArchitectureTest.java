package io.github.wheelscheduler;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.github.wheelscheduler.testing.HouseRules;

/** The packages follow the way of a timer, and no arrow runs against it. */
@AnalyzeClasses(packages = ArchitectureTest.ROOT, importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    static final String ROOT = "io.github.wheelscheduler";
    private static final String WHEEL = ROOT + ".internal.wheel..";
    private static final String INBOX = ROOT + ".internal.inbox..";
    private static final String WORKER = ROOT + ".internal.worker..";
    private static final String METRICS = ROOT + ".metrics.timers..";
    private static final String METERS = ROOT + ".internal.meter..";
    private static final String INTERNAL = ROOT + ".internal";
    private static final String ENGINE = ROOT + ".internal.engine..";
    private static final int MOST_TYPES_FOR_PROGRAMS = 16;

    /** The words that the engine shares with programs. */
    private static final Class<?>[] WORDS_OF_THE_ROOT = {
        ManagedTask.class,
        NamedTask.class,
        OnFull.class,
        Pacing.class,
        RejectionHandler.class,
        RunHooks.class,
        RunObserver.class,
        RunningTask.class,
        TimeSource.class,
        WheelSnapshot.class,
        WheelTimer.class
    };

    @ArchTest
    static final ArchRule wheelIsPlainJavaWithoutThreadsLocksAndLogging = classes()
            .that()
            .resideInAPackage(WHEEL)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                    WHEEL, "java.lang", "java.lang.invoke", "java.util", "java.util.function", "org.jspecify.."))
            .andShould()
            .onlyDependOnClassesThat(
                    not(belongToAnyOf(Thread.class, ThreadLocal.class, Runtime.class, java.util.Timer.class)));

    @ArchTest
    static final ArchRule wheelIsToldTheTime = noClasses()
            .that()
            .resideInAPackage(WHEEL)
            .should()
            .accessTargetWhere(describe("a clock is read", HouseRules::readsAnyClock));

    @ArchTest
    static final ArchRule inboxKnowsNothingOfTheWheel =
            noClasses().that().resideInAPackage(INBOX).should().dependOnClassesThat(resideInAPackage(WHEEL));

    @ArchTest
    static final ArchRule workersKnowNothingOfTheWheel =
            noClasses().that().resideInAPackage(WORKER).should().dependOnClassesThat(resideInAPackage(WHEEL));

    @ArchTest
    static final ArchTests houseRules = ArchTests.in(HouseRules.class);

    @ArchTest
    static final ArchRule nobodyKnowsSpring = noClasses()
            .should()
            .dependOnClassesThat(resideInAnyPackage("org.springframework..", "org.apache.commons.logging.."));

    @ArchTest
    static final ArchRule sharedTypesKnowNothingElseOfOurs = classes()
            .that(resideInAPackage(INTERNAL))
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(INTERNAL, "java..", "org.jspecify.."));

    @ArchTest
    static final ArchRule onlyTheMetersKnowMicrometer = noClasses()
            .that(resideOutsideOfPackages(METRICS, METERS))
            .should()
            .dependOnClassesThat(resideInAPackage("io.micrometer.."));

    @ArchTest
    static final ArchRule engineKnowsOfWhatIsAboveTheWordsOfTheRootAlone = noClasses()
            .that()
            .resideInAnyPackage(INTERNAL, ENGINE, WHEEL, INBOX, WORKER)
            .should()
            .dependOnClassesThat(describe("are above", HouseRules::isAbove).and(not(belongToAnyOf(WORDS_OF_THE_ROOT))));

    @ArchTest
    static void fewTypesAreForPrograms(JavaClasses types) {
        assertThat(types.stream()
                        .filter(JavaClass::isTopLevelClass)
                        .filter(HouseRules::isForPrograms)
                        .map(JavaClass::getName))
                .hasSizeLessThanOrEqualTo(MOST_TYPES_FOR_PROGRAMS);
    }
}
