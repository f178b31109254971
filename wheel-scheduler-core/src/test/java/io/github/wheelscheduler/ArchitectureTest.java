package io.github.wheelscheduler;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.INTERFACES;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaStaticInitializer;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.time.Clock;
import java.time.Instant;
import org.jspecify.annotations.NullMarked;

/** The packages follow the way of a timer, and no arrow runs against it. */
@AnalyzeClasses(packages = ArchitectureTest.ROOT, importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    static final String ROOT = "io.github.wheelscheduler";
    private static final String WHEEL = ROOT + ".internal.wheel..";
    private static final String INBOX = ROOT + ".internal.inbox..";
    private static final String WORKER = ROOT + ".internal.worker..";
    private static final String SPRING_FACE = ROOT + ".spring..";
    private static final String TASKS = ROOT + ".spring.task..";
    private static final String RUNS = ROOT + ".spring.run..";
    private static final String SETTINGS = ROOT + ".spring.settings..";
    private static final String WATCH = ROOT + ".spring.watch..";
    private static final String METRICS = ROOT + ".metrics..";
    private static final String INTERNAL = ROOT + ".internal";
    private static final String BELOW = ROOT + ".internal..";
    private static final String ENGINE = ROOT + ".internal.engine..";
    private static final String BELOW_SPRING = ROOT + ".internal.spring..";
    private static final int MOST_TYPES_FOR_PROGRAMS = 46;

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
    static final ArchRule theWheelIsPlainJavaWithoutThreadsLocksAndLogging = classes()
            .that()
            .resideInAPackage(WHEEL)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                    WHEEL, "java.lang", "java.lang.invoke", "java.util", "java.util.function", "org.jspecify.."))
            .andShould()
            .onlyDependOnClassesThat(
                    not(belongToAnyOf(Thread.class, ThreadLocal.class, Runtime.class, java.util.Timer.class)));

    @ArchTest
    static final ArchRule theWheelIsToldTheTime = noClasses()
            .that()
            .resideInAPackage(WHEEL)
            .should()
            .accessTargetWhere(describe("a clock is read", ArchitectureTest::readsAnyClock));

    @ArchTest
    static final ArchRule theInboxKnowsNothingOfTheWheel =
            noClasses().that().resideInAPackage(INBOX).should().dependOnClassesThat(resideInAPackage(WHEEL));

    @ArchTest
    static final ArchRule workersKnowNothingOfTheWheel =
            noClasses().that().resideInAPackage(WORKER).should().dependOnClassesThat(resideInAPackage(WHEEL));

    @ArchTest
    static final ArchRule onlyTheSpringFaceAndTheMetersKnowSpring = noClasses()
            .that(resideOutsideOfPackages(SPRING_FACE, BELOW_SPRING, METRICS))
            .should()
            .dependOnClassesThat(resideInAPackage("org.springframework.."));

    @ArchTest
    static final ArchRule theRoomsOfTheSpringFaceAreEnteredFromAboveOnly = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage(SPRING_FACE, BELOW_SPRING)
            .layer("face")
            .definedBy(ROOT + ".spring")
            .layer("watch")
            .definedBy(WATCH, ROOT + ".internal.spring.watch..")
            .layer("tasks")
            .definedBy(TASKS, ROOT + ".internal.spring.task..")
            .layer("runs")
            .definedBy(RUNS, ROOT + ".internal.spring.run..")
            .layer("settings")
            .definedBy(SETTINGS)
            .whereLayer("face")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("tasks")
            .mayOnlyBeAccessedByLayers("face")
            .whereLayer("watch")
            .mayOnlyBeAccessedByLayers("face", "tasks")
            .whereLayer("runs")
            .mayOnlyBeAccessedByLayers("face", "tasks")
            .whereLayer("settings")
            .mayOnlyBeAccessedByLayers("face", "tasks");

    @ArchTest
    static final ArchRule whatModulesShareKnowsNothingElseOfOurs = classes()
            .that(resideInAPackage(INTERNAL))
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(INTERNAL, "java..", "org.jspecify.."));

    @ArchTest
    static final ArchRule onlyTheMetersKnowMicrometer = noClasses()
            .that(resideOutsideOfPackages(METRICS))
            .should()
            .dependOnClassesThat(resideInAPackage("io.micrometer.."));

    @ArchTest
    static final ArchRule nobodyKnowsBoot =
            noClasses().should().dependOnClassesThat(resideInAPackage("org.springframework.boot.."));

    @ArchTest
    static final ArchRule theEngineKnowsOfWhatIsAboveTheWordsOfTheRootAlone = noClasses()
            .that()
            .resideInAnyPackage(INTERNAL, ENGINE, WHEEL, INBOX, WORKER)
            .should()
            .dependOnClassesThat(
                    describe("are above", ArchitectureTest::isAbove).and(not(belongToAnyOf(WORDS_OF_THE_ROOT))));

    @ArchTest
    static final ArchRule whatIsBelowTheFaceKnowsTheRoomsOfTheFaceAndTheWordsOfTheRoot = noClasses()
            .that()
            .resideInAPackage(BELOW_SPRING)
            .should()
            .dependOnClassesThat(describe("are above", ArchitectureTest::isAbove)
                    .and(not(resideInAnyPackage(WATCH, TASKS, RUNS, SETTINGS)))
                    .and(not(belongToAnyOf(WORDS_OF_THE_ROOT)))
                    .and(not(belongToAnyOf(WheelScheduledExecutor.class))));

    @ArchTest
    static final ArchRule theEngineKnowsNothingBelowTheFace = noClasses()
            .that()
            .resideInAnyPackage(INTERNAL, ENGINE, WHEEL, INBOX, WORKER)
            .should()
            .dependOnClassesThat(resideInAPackage(BELOW_SPRING));

    /** So programs need nothing that is internal. Constructors may, of types that only the scheduler makes. */
    @ArchTest
    static final ArchRule noMethodForProgramsNamesWhatIsInternal = noMethods()
            .that()
            .arePublic()
            .and()
            .areDeclaredInClassesThat(describe("are for programs", ArchitectureTest::isForPrograms))
            .should()
            .haveRawReturnType(resideInAPackage(BELOW))
            .orShould()
            .haveRawParameterTypes(
                    describe("with an internal one", types -> types.stream().anyMatch(resideInAPackage(BELOW))));

    @ArchTest
    static void fewTypesAreForPrograms(JavaClasses types) {
        assertThat(types.stream()
                        .filter(JavaClass::isTopLevelClass)
                        .filter(ArchitectureTest::isForPrograms)
                        .map(JavaClass::getName))
                .hasSizeLessThanOrEqualTo(MOST_TYPES_FOR_PROGRAMS);
    }

    /** But for the words that what is below shares with programs. */
    @ArchTest
    static final ArchRule packagesHaveNoCycles = slices().assignedFrom(packagesOfOurs())
            .should()
            .beFreeOfCycles()
            .ignoreDependency(resideInAPackage(BELOW), describe("are above", ArchitectureTest::isAbove));

    @ArchTest
    static final ArchRule nobodyUsesUnsafe = noClasses()
            .should()
            .dependOnClassesThat(
                    resideInAnyPackage("sun.misc", "jdk.internal..").or(jctoolsOutsideOfItsVarHandleBuild()));

    @ArchTest
    static final ArchRule onlyTheTimeSourceReadsTheMonotonicClock = noClasses()
            .that()
            .doNotHaveSimpleName("TimeSource")
            .should()
            .accessTargetWhere(describe("System.nanoTime is called", ArchitectureTest::readsNanoTime));

    /** An image built ahead of time would carry the build machine's clock along. */
    @ArchTest
    static final ArchRule noClockIsReadWhileAClassIsInitialized = noClasses()
            .should()
            .accessTargetWhere(
                    describe("a static initializer reads a clock", ArchitectureTest::isReadInAStaticInitializer));

    @ArchTest
    static final ArchRule noClockIsStatic = noFields()
            .that()
            .areStatic()
            .should()
            .haveRawType(describe("a clock", type -> type.isAssignableTo(Clock.class)));

    @ArchTest
    static final ArchRule staticFieldsNeverChange =
            fields().that().areStatic().should().beFinal();

    @ArchTest
    static final ArchRule nullIsDeclaredInEveryPackage = classes().should(beInANullMarkedPackage());

    private static boolean isForPrograms(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC) && isAbove(type);
    }

    private static boolean isAbove(JavaClass type) {
        return resideInAPackage(ROOT + "..").test(type)
                && !resideInAPackage(BELOW).test(type);
    }

    private static boolean readsNanoTime(JavaAccess<?> access) {
        return access.getTargetOwner().isEquivalentTo(System.class)
                && access.getName().equals("nanoTime");
    }

    private static boolean readsAnyClock(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        return readsNanoTime(access)
                || owner.getSimpleName().equals("TimeSource")
                || owner.isAssignableTo(Clock.class)
                || (owner.isEquivalentTo(Instant.class) && access.getName().equals("now"))
                || (owner.isEquivalentTo(System.class) && access.getName().equals("currentTimeMillis"));
    }

    private static boolean isReadInAStaticInitializer(JavaAccess<?> access) {
        return access.getOrigin() instanceof JavaStaticInitializer
                && access instanceof JavaMethodCall
                && !access.isDeclaredInLambda()
                && readsAnyClock(access);
    }

    /** The default build of JCTools reaches for Unsafe; only its interfaces are shared with the one on VarHandles. */
    private static DescribedPredicate<JavaClass> jctoolsOutsideOfItsVarHandleBuild() {
        return resideInAPackage("org.jctools..")
                .and(not(resideInAPackage("org.jctools.queues.varhandle..")))
                .and(not(INTERFACES));
    }

    private static SliceAssignment packagesOfOurs() {
        return new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                return type.getPackageName().startsWith(ROOT)
                        ? SliceIdentifier.of(type.getPackageName())
                        : SliceIdentifier.ignore();
            }

            @Override
            public String getDescription() {
                return "packages below " + ROOT;
            }
        };
    }

    private static ArchCondition<JavaClass> beInANullMarkedPackage() {
        return new ArchCondition<>("be in a package that is @NullMarked") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                boolean marked = type.getPackage().isAnnotatedWith(NullMarked.class);
                events.add(new SimpleConditionEvent(
                        type, marked, type.getName() + " is in a package without @NullMarked in its package-info"));
            }
        };
    }
}
