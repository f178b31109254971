package io.github.wheelscheduler.testing;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.INTERFACES;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaStaticInitializer;
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

/** The rules of all modules that programs use. */
public final class HouseRules {

    private static final String ROOT = "io.github.wheelscheduler";
    private static final String BELOW = ROOT + ".internal..";

    private HouseRules() {}

    @ArchTest
    static final ArchRule nobodyKnowsBoot =
            noClasses().should().dependOnClassesThat(resideInAPackage("org.springframework.boot.."));

    /** So programs need nothing that is internal. Constructors may, of types that only the scheduler makes. */
    @ArchTest
    static final ArchRule noMethodForProgramsNamesWhatIsInternal = noMethods()
            .that()
            .arePublic()
            .and()
            .areDeclaredInClassesThat(describe("are for programs", HouseRules::isForPrograms))
            .should()
            .haveRawReturnType(resideInAPackage(BELOW))
            .orShould()
            .haveRawParameterTypes(
                    describe("with an internal one", types -> types.stream().anyMatch(resideInAPackage(BELOW))));

    /** But for the words that what is below shares with programs. */
    @ArchTest
    static final ArchRule packagesHaveNoCycles = slices().assignedFrom(packagesOfOurs())
            .should()
            .beFreeOfCycles()
            .ignoreDependency(resideInAPackage(BELOW), describe("are above", HouseRules::isAbove));

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
            .accessTargetWhere(describe("System.nanoTime is called", HouseRules::readsNanoTime));

    /** An image built ahead of time would carry the build machine's clock along. */
    @ArchTest
    static final ArchRule noClockIsReadWhileAClassIsInitialized = noClasses()
            .should()
            .accessTargetWhere(describe("a static initializer reads a clock", HouseRules::isReadInAStaticInitializer));

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

    private static boolean isReadInAStaticInitializer(JavaAccess<?> access) {
        return access.getOrigin() instanceof JavaStaticInitializer
                && access instanceof JavaMethodCall
                && !access.isDeclaredInLambda()
                && readsAnyClock(access);
    }

    public static boolean readsAnyClock(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        return readsNanoTime(access)
                || owner.getSimpleName().equals("TimeSource")
                || owner.isAssignableTo(Clock.class)
                || (owner.isEquivalentTo(Instant.class) && access.getName().equals("now"))
                || (owner.isEquivalentTo(System.class) && access.getName().equals("currentTimeMillis"));
    }

    private static boolean readsNanoTime(JavaAccess<?> access) {
        return access.getTargetOwner().isEquivalentTo(System.class)
                && access.getName().equals("nanoTime");
    }

    public static boolean isForPrograms(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC) && isAbove(type);
    }

    public static boolean isAbove(JavaClass type) {
        return resideInAPackage(ROOT + "..").test(type)
                && !resideInAPackage(BELOW).test(type);
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
