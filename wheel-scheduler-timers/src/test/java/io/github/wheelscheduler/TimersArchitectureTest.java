package io.github.wheelscheduler;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Timers for programs stand on public types of the executor, and know nothing of each other. */
@AnalyzeClasses(
        packages = {
            TimersArchitectureTest.KEYED,
            TimersArchitectureTest.IDLE,
            TimersArchitectureTest.LEASE,
            TimersArchitectureTest.TIMERS
        },
        importOptions = ImportOption.DoNotIncludeTests.class)
class TimersArchitectureTest {

    static final String ROOT = "io.github.wheelscheduler";
    static final String KEYED = ROOT + ".keyed";
    static final String IDLE = ROOT + ".idle";
    static final String LEASE = ROOT + ".lease";
    static final String TIMERS = ROOT + ".timers";
    private static final String INTERNAL = ROOT + ".internal";

    @ArchTest
    static final ArchRule keyedTimersAreBuiltOnTheRootPackageAlone = builtOnTheRootPackageAlone(KEYED);

    @ArchTest
    static final ArchRule idleTimeoutsAreBuiltOnTheRootPackageAlone = builtOnTheRootPackageAlone(IDLE);

    @ArchTest
    static final ArchRule leasesAreBuiltOnTheRootPackageAlone = builtOnTheRootPackageAlone(LEASE);

    @ArchTest
    static final ArchRule sharedTypesAreBuiltOnTheRootPackageAlone = builtOnTheRootPackageAlone(TIMERS);

    @ArchTest
    static final ArchRule timersTakeTheTimeFromTheExecutor = noClasses()
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis");

    @ArchTest
    static final ArchRule staticFieldsNeverChange =
            fields().that().areStatic().should().beFinal();

    private static ArchRule builtOnTheRootPackageAlone(String part) {
        return classes()
                .that(resideInAPackage(part))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(ROOT, part, TIMERS, INTERNAL, "java..", "org.jspecify.."));
    }
}
