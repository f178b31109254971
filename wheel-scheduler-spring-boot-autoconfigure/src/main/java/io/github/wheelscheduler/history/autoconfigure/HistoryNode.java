package io.github.wheelscheduler.history.autoconfigure;

import io.github.wheelscheduler.autoconfigure.internal.DurableNodeName;
import io.github.wheelscheduler.durable.DurableEngine;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.env.PropertyResolver;
import org.springframework.util.ClassUtils;

/**
 * The name of this process in the rows of the history: that of the node of durable tasks, the one that is set, or the
 * host's.
 */
final class HistoryNode {

    private static final boolean HAS_DURABLE =
            ClassUtils.isPresent("io.github.wheelscheduler.durable.DurableEngine", HistoryNode.class.getClassLoader());

    private HistoryNode() {}

    static String name(BeanFactory beanFactory, PropertyResolver environment) {
        DurableNodeName known =
                beanFactory.getBeanProvider(DurableNodeName.class).getIfUnique();
        String durable = known != null ? known.name() : HAS_DURABLE ? OfDurable.name(beanFactory) : null;
        String set = environment.getProperty("wheel.scheduler.node", "");
        return durable != null ? durable : set.isEmpty() ? host() : set;
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException ex) {
            return "node";
        }
    }

    /** Of an engine of the application. Apart, as its class need not be there. */
    private static final class OfDurable {

        static @Nullable String name(BeanFactory beanFactory) {
            DurableEngine engine =
                    beanFactory.getBeanProvider(DurableEngine.class).getIfUnique();
            return engine == null ? null : engine.settings().node();
        }
    }
}
