package io.github.wheelscheduler.browser;

import static io.github.wheelscheduler.browser.Browser.hook;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.wheelscheduler.spring.task.TaskInfo;
import jakarta.servlet.http.HttpSession;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.server.WebSession;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import org.springframework.web.server.session.DefaultWebSessionManager;
import org.springframework.web.server.session.InMemoryWebSessionStore;
import org.springframework.web.server.session.WebSessionManager;

/** With Spring Security as Spring Boot sets it up: a login page, and a CSRF token in the session. */
@InBrowser
class SecurityInBrowserTest {

    private static final String USER = "operator";
    private static final String PASSWORD = "not-secret";

    @Test
    void tokenOfTheSessionIsFetchedAndFetchedAgain(Browser browser) {
        try (Server server = start()) {
            signInAndPause(browser, server);
            server.context().getBean(SecuredShop.Sessions.class).open().forEach(SecurityInBrowserTest::changeToken);
            browser.expect("403");
            resume(browser, server);
            browser.leave();
        }
    }

    @Test
    void tokenOfTheSessionIsFetchedAndFetchedAgainOnWebFlux(Browser browser) {
        try (Server server = start("spring.main.web-application-type=reactive")) {
            signInAndPause(browser, server);
            sessionsOf(server)
                    .forEach(session -> session.getAttributes().keySet().removeIf(name -> name.contains("CSRF_TOKEN")));
            browser.expect("403");
            resume(browser, server);
            browser.leave();
        }
    }

    @Test
    void pageSaysThatTheSessionHasEnded(Browser browser) {
        browser.expect("401");
        try (Server server = start()) {
            signInAndPause(browser, server);
            server.context().getBean(SecuredShop.Sessions.class).open().forEach(HttpSession::invalidate);
            browser.click(hook("resume"));
            browser.awaitText(hook("note-failing"), "not signed in");
            browser.awaitText(hook("problem"), "not signed in");
            browser.click(hook("problem") + " " + hook("sign-in"));
            signIn(browser);
            browser.awaitText(hook("task-state"), "paused");
            browser.leave();
        }
    }

    @Test
    void tokenThatIsInACookieIsSentAsItIs(Browser browser) {
        try (Server server = start(CookieShop.class)) {
            signInAndPause(browser, server);
            resume(browser, server);
            browser.leave();
        }
    }

    private static Server start(String... properties) {
        return start(SecuredShop.class, properties);
    }

    private static Server start(Class<?> application, String... properties) {
        String[] all = Arrays.copyOf(properties, properties.length + 3);
        all[properties.length] = "spring.security.user.name=" + USER;
        all[properties.length + 1] = "spring.security.user.password=" + PASSWORD;
        all[properties.length + 2] = Server.NO_DURABLE_TASKS;
        return Server.start(application, List.of("no.such.class"), all);
    }

    private static void signInAndPause(Browser browser, Server server) {
        browser.open(server.dashboard("live=1&view=task&id=" + Shop.RATES));
        signIn(browser);
        browser.click(hook("pause"));
        browser.awaitThat("a paused task", () -> isIn(TaskInfo.State.PAUSED, server));
        browser.awaitText(hook("task-state"), "paused");
    }

    private static void signIn(Browser browser) {
        // The page to sign in is Spring Security's, and has no icon.
        browser.expect("/favicon.ico");
        browser.type("input[name=username]", USER);
        browser.type("input[name=password]", PASSWORD);
        browser.click("button[type=submit]");
        browser.awaitText(hook("view-task"), Shop.RATES);
    }

    private static void resume(Browser browser, Server server) {
        browser.click(hook("resume"));
        browser.awaitThat("a pending task", () -> isIn(TaskInfo.State.PENDING, server));
        assertThat(browser.all(hook("note-failing"))).isEmpty();
    }

    private static boolean isIn(TaskInfo.State state, Server server) {
        return server.task(Shop.RATES).state() == state;
    }

    private static void changeToken(HttpSession session) {
        List<String> names = Collections.list(session.getAttributeNames());
        names.stream().filter(name -> name.contains("CSRF_TOKEN")).forEach(session::removeAttribute);
    }

    private static Iterable<WebSession> sessionsOf(Server server) {
        DefaultWebSessionManager manager = (DefaultWebSessionManager)
                server.context().getBean(WebHttpHandlerBuilder.WEB_SESSION_MANAGER_BEAN_NAME, WebSessionManager.class);
        return ((InMemoryWebSessionStore) manager.getSessionStore())
                .getSessions()
                .values();
    }

    /** A {@link Shop} whose token is in a cookie that scripts read. */
    @Configuration(proxyBeanMethods = false)
    @Import(Shop.class)
    static class CookieShop {

        @Bean
        SecurityFilterChain rules(HttpSecurity http) {
            http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated());
            http.formLogin(Customizer.withDefaults());
            http.csrf(CsrfConfigurer::spa);
            return http.build();
        }
    }
}
