package io.github.wheelscheduler.durable.autoconfigure;

import io.github.wheelscheduler.autoconfigure.UnusableSetupException;
import io.github.wheelscheduler.durable.DurableHandler;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ReflectionUtils;

/**
 * Chooses in whose transactions the runs of transactional handlers go on: the one that is named, else the only one for
 * the database of durable tasks.
 */
final class TransactionManagerChoice {

    private static final String GET_DATA_SOURCE = "getDataSource";

    private final ConfigurableListableBeanFactory beanFactory;
    private final Supplier<DataSource> dataSource;

    TransactionManagerChoice(ConfigurableListableBeanFactory beanFactory, Supplier<DataSource> dataSource) {
        this.beanFactory = beanFactory;
        this.dataSource = dataSource;
    }

    /** Returns that of a handler; null if it is not transactional. */
    @Nullable
    PlatformTransactionManager of(DurableHandler annotation, Method method) {
        String name = String.valueOf(beanFactory.resolveEmbeddedValue(annotation.transactionManager()));
        if (!annotation.transactional()) {
            if (!name.isEmpty()) {
                throw new UnusableSetupException(
                        "@DurableHandler must be transactional where it names a transactionManager, but is not on "
                                + method,
                        "Add transactional = true to the annotation, or leave its transactionManager out.");
            }
            return null;
        }
        return name.isEmpty() ? theOnly(method) : named(name, method);
    }

    private PlatformTransactionManager named(String name, Method method) {
        PlatformTransactionManager manager;
        try {
            manager =
                    BeanFactoryAnnotationUtils.qualifiedBeanOfType(beanFactory, PlatformTransactionManager.class, name);
        } catch (BeansException ex) {
            throw new UnusableSetupException(
                    "The transactionManager of a method with @DurableHandler must be the name or qualifier of one "
                            + "PlatformTransactionManager, but '"
                            + name + "' is not, on " + method + "; there are " + describe(all()),
                    "Set transactionManager to one of them that is for the DataSource of durable tasks.",
                    ex);
        }
        DataSource theirs = dataSourceOf(manager);
        if (theirs != null && !isOurs(theirs)) {
            throw new UnusableSetupException(
                    "The transactionManager of a method with @DurableHandler must be for the DataSource of durable "
                            + "tasks, but '"
                            + name + "' is for another one, on " + method,
                    "Set transactionManager to one that is for the DataSource of durable tasks, "
                            + "or mark the other DataSource with @DurableDataSource.");
        }
        return manager;
    }

    private PlatformTransactionManager theOnly(Method method) {
        Map<String, PlatformTransactionManager> all = all();
        Map<String, PlatformTransactionManager> ours = new TreeMap<>();
        List<String> silent = new ArrayList<>();
        all.forEach((name, manager) -> {
            DataSource theirs = dataSourceOf(manager);
            if (theirs == null) {
                boolean ignored = silent.add(name);
            } else if (isOurs(theirs)) {
                PlatformTransactionManager ignored = ours.put(name, manager);
            }
        });
        if (ours.size() == 1) {
            return ours.values().iterator().next();
        }
        String wanted =
                "A transactional @DurableHandler must have one PlatformTransactionManager for the DataSource of "
                        + "durable tasks, but ";
        if (!ours.isEmpty()) {
            throw new UnusableSetupException(
                    wanted + "there are several: " + describe(ours) + ", for " + method,
                    "Set transactionManager to one of them, such as @DurableHandler(transactional = true, "
                            + "transactionManager = \""
                            + ours.keySet().iterator().next() + "\").");
        }
        if (!silent.isEmpty()) {
            throw new UnusableSetupException(
                    wanted + "it cannot be told whether it is " + String.join(" or ", silent) + ", as with JTA, for "
                            + method,
                    "If its transactions are also on the DataSource of durable tasks, name it, such as "
                            + "@DurableHandler(transactional = true, transactionManager = \""
                            + silent.get(0) + "\").");
        }
        throw new UnusableSetupException(
                wanted + (all.isEmpty() ? "there is none" : "there are only " + describe(all) + ", for others")
                        + ", for " + method,
                "Define a JdbcTransactionManager with that DataSource as a bean, or leave transactional out: the run "
                        + "and the end of the task are two transactions then.");
    }

    private Map<String, PlatformTransactionManager> all() {
        Map<String, PlatformTransactionManager> all = new TreeMap<>();
        for (String name :
                BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, PlatformTransactionManager.class)) {
            PlatformTransactionManager ignored =
                    all.put(name, beanFactory.getBean(name, PlatformTransactionManager.class));
        }
        return all;
    }

    private static String describe(Map<String, PlatformTransactionManager> managers) {
        return managers.isEmpty() ? "none" : String.join(", ", managers.keySet());
    }

    /** A transaction is bound to the very DataSource that its manager has. */
    private boolean isOurs(DataSource theirs) {
        return behindProxy(theirs).equals(behindProxy(dataSource.get()));
    }

    private static DataSource behindProxy(DataSource one) {
        DataSource target = one instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target == null ? one : target;
    }

    /** Those of JPA and Hibernate say it as that of JDBC does, and their classes need not be there. */
    private static @Nullable DataSource dataSourceOf(PlatformTransactionManager manager) {
        if (manager instanceof ResourceTransactionManager resource
                && resource.getResourceFactory() instanceof DataSource found) {
            return found;
        }
        Object target = AopProxyUtils.getSingletonTarget(manager);
        Object asked = target == null ? manager : target;
        Method getter = ReflectionUtils.findMethod(asked.getClass(), GET_DATA_SOURCE);
        if (getter == null) {
            return null;
        }
        ReflectionUtils.makeAccessible(getter);
        return ReflectionUtils.invokeMethod(getter, asked) instanceof DataSource found ? found : null;
    }

    /** Lets them be asked in a native image, too. */
    static final class Hints implements RuntimeHintsRegistrar {

        Hints() {}

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            for (String name : List.of("JpaTransactionManager", "hibernate.HibernateTransactionManager")) {
                TypeReference type = TypeReference.of("org.springframework.orm.jpa." + name);
                hints.reflection()
                        .registerType(
                                type,
                                hint -> hint.onReachableType(type)
                                        .withMethod(GET_DATA_SOURCE, List.of(), ExecutableMode.INVOKE));
            }
        }
    }
}
