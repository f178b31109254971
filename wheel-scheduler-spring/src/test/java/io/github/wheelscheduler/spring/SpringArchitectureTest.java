package io.github.wheelscheduler.spring;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.github.wheelscheduler.ManagedTask;
import io.github.wheelscheduler.NamedTask;
import io.github.wheelscheduler.OnFull;
import io.github.wheelscheduler.Pacing;
import io.github.wheelscheduler.RunHooks;
import io.github.wheelscheduler.RunObserver;
import io.github.wheelscheduler.RunningTask;
import io.github.wheelscheduler.TimeSource;
import io.github.wheelscheduler.WheelScheduledExecutor;
import io.github.wheelscheduler.WheelSnapshot;
import io.github.wheelscheduler.WheelTimer;
import io.github.wheelscheduler.internal.CallerStripe;
import io.github.wheelscheduler.internal.DurationWords;
import io.github.wheelscheduler.internal.LogLimit;
import io.github.wheelscheduler.internal.ShortMemory;
import io.github.wheelscheduler.internal.StackReserve;
import io.github.wheelscheduler.internal.StackText;
import io.github.wheelscheduler.internal.engine.RunObservation;
import io.github.wheelscheduler.internal.engine.ScheduledTimer;
import io.github.wheelscheduler.internal.meter.MeterGroup;
import io.github.wheelscheduler.internal.meter.TimerMeterNames;
import io.github.wheelscheduler.internal.worker.ThreadOrigin;
import io.github.wheelscheduler.internal.worker.Workers;
import io.github.wheelscheduler.testing.HouseRules;

/** The rooms of Spring's face, and all that they use of the engine which is not for programs. */
@AnalyzeClasses(
        packages = {SpringArchitectureTest.FACE, SpringArchitectureTest.BELOW, SpringArchitectureTest.METERS},
        importOptions = ImportOption.DoNotIncludeTests.class)
class SpringArchitectureTest {

    private static final String ROOT = "io.github.wheelscheduler";
    static final String FACE = ROOT + ".spring";
    static final String BELOW = ROOT + ".internal.spring";
    private static final String SPRING_FACE = FACE + "..";
    private static final String BELOW_SPRING = BELOW + "..";
    private static final String TASKS = FACE + ".task..";
    private static final String RUNS = FACE + ".run..";
    private static final String SETTINGS = FACE + ".settings..";
    private static final String WATCH = FACE + ".watch..";
    static final String METERS = ROOT + ".metrics";
    private static final String METRICS = METERS + "..";
    private static final String STEERING = FACE + ".steering..";
    private static final String OBSERVATION = FACE + ".observation..";
    private static final String BELOW_OBSERVATION = BELOW + ".observation..";
    private static final int MOST_TYPES_FOR_PROGRAMS = 43;

    /** What is internal in core, and used here all the same. This list may only get shorter. */
    private static final Class<?>[] CROSSING = {
        CallerStripe.class,
        DurationWords.class,
        LogLimit.class,
        MeterGroup.class,
        RunObservation.class,
        ScheduledTimer.class,
        ShortMemory.class,
        StackReserve.class,
        StackText.class,
        TimerMeterNames.class,
        ThreadOrigin.class,
        Workers.class
    };

    /** The words that tasks and runs share with the engine. */
    private static final Class<?>[] WORDS_OF_THE_ROOT = {
        ManagedTask.class,
        NamedTask.class,
        OnFull.class,
        Pacing.class,
        RunHooks.class,
        RunObserver.class,
        RunningTask.class,
        TimeSource.class,
        WheelScheduledExecutor.class,
        WheelSnapshot.class,
        WheelTimer.class
    };

    @ArchTest
    static final ArchTests houseRules = ArchTests.in(HouseRules.class);

    @ArchTest
    static final ArchRule onlyTheCrossingIsUsedOfWhatIsInternalInCore = noClasses()
            .should()
            .dependOnClassesThat(resideInAPackage(ROOT + ".internal..")
                    .and(not(resideInAPackage(BELOW_SPRING)))
                    .and(not(describe("are the crossing", SpringArchitectureTest::isCrossing))));

    @ArchTest
    static final ArchRule onlyMetersAndObservationsKnowMicrometer = noClasses()
            .that(resideOutsideOfPackages(METRICS, OBSERVATION, BELOW_OBSERVATION))
            .should()
            .dependOnClassesThat(resideInAPackage("io.micrometer.."));

    @ArchTest
    static final ArchRule roomsOfTheSpringFaceAreEnteredFromAboveOnly = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage(SPRING_FACE, BELOW_SPRING, METRICS)
            .layer("meters")
            .definedBy(METRICS)
            .layer("face")
            .definedBy(FACE)
            .layer("watch")
            .definedBy(WATCH, BELOW + ".watch..")
            .layer("tasks")
            .definedBy(TASKS, BELOW + ".task..")
            .layer("runs")
            .definedBy(RUNS, BELOW + ".run..")
            .layer("settings")
            .definedBy(SETTINGS)
            .layer("observation")
            .definedBy(OBSERVATION, BELOW_OBSERVATION)
            .whereLayer("meters")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("face")
            .mayOnlyBeAccessedByLayers("meters")
            .whereLayer("tasks")
            .mayOnlyBeAccessedByLayers("face", "meters")
            .whereLayer("watch")
            .mayOnlyBeAccessedByLayers("face", "tasks", "meters")
            .whereLayer("runs")
            .mayOnlyBeAccessedByLayers("face", "tasks", "meters")
            .whereLayer("settings")
            .mayOnlyBeAccessedByLayers("face", "tasks", "meters")
            .whereLayer("observation")
            .mayOnlyBeAccessedByLayers("face", "tasks", "runs");

    @ArchTest
    static final ArchRule internalsKnowTheRoomsOfTheFaceAndSharedWords = noClasses()
            .that()
            .resideInAPackage(BELOW_SPRING)
            .should()
            .dependOnClassesThat(describe("are above", HouseRules::isAbove)
                    .and(not(resideInAnyPackage(WATCH, TASKS, RUNS, SETTINGS, STEERING, OBSERVATION)))
                    .and(not(belongToAnyOf(WORDS_OF_THE_ROOT))));

    @ArchTest
    static void fewTypesAreForPrograms(JavaClasses types) {
        assertThat(types.stream()
                        .filter(JavaClass::isTopLevelClass)
                        .filter(HouseRules::isForPrograms)
                        .map(JavaClass::getName))
                .hasSizeLessThanOrEqualTo(MOST_TYPES_FOR_PROGRAMS);
    }

    private static boolean isCrossing(JavaClass type) {
        JavaClass outer = type;
        while (outer.getEnclosingClass().isPresent()) {
            outer = outer.getEnclosingClass().get();
        }
        return belongToAnyOf(CROSSING).test(outer);
    }
}
