package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.weir.core.policy.InvalidPolicyException;
import io.weir.core.policy.PathPattern;
import io.weir.core.throttle.StoreUnavailableException;
import io.weir.library.Weir;
import io.weir.library.WeirBuilder;
import io.weir.library.WeirListener;
import io.weir.spring.WeirProperties.From;
import io.weir.spring.WeirProperties.Operation;
import io.weir.state.policy.NoPolicyException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.util.ClassUtils;
import org.springframework.util.ResourceUtils;

/** Opens a {@link Weir} as it is configured; every failure names its property and a remedy. */
final class WeirStart {
  private WeirStart() {}

  static Weir open(WeirProperties properties, WeirListener listener) {
    requireSound(properties);
    try {
      return properties.inMemory()
          ? Weir.inMemory(text(requireNonNull(properties.policy())), listener)
          : builder(properties).listener(listener).open();
    } catch (InvalidPolicyException e) {
      throw new WeirStartException(
          "weir.policy",
          "the policy is invalid:%n%s".formatted(e.getMessage()),
          "Correct the policy; 'weir policy check FILE' lists all its problems.",
          e);
    } catch (NoPolicyException e) {
      throw new WeirStartException(
          "weir.policy",
          "the cluster at weir.redis-uri has no policy in force, and none is given to begin with",
          "Set weir.policy to a file or a resource, or put a policy in force with 'weir policy apply FILE'.",
          e);
    } catch (StoreUnavailableException e) {
      throw new WeirStartException(
          "weir.redis-uri",
          "Redis cannot be used (%s)".formatted(e.getMessage()),
          "Start Redis, or correct weir.redis-uri. With weir.policy-copy an application starts while"
              + " Redis is away; with weir.in-memory=true it needs none.",
          e);
    } catch (IllegalArgumentException e) {
      throw new WeirStartException(
          "weir.redis-uri",
          String.valueOf(e.getMessage()),
          "Write it as redis://:password@host:port, redis+sentinel://host,host?master=name or redis+cluster://host,"
              + " with %40 for @ in a password.",
          e);
    }
  }

  private static WeirBuilder builder(WeirProperties properties) {
    WeirBuilder builder = Weir.builder(properties.redisUri())
        .redisTimeout(properties.redisTimeout())
        .redisWait(properties.redisWait())
        .executor(new ApplicationExecutor());
    if (properties.policy() != null) {
      builder.policy(properties.policy(), text(properties.policy()));
    }
    if (properties.policyCopy() != null) {
      builder.policyCopy(Path.of(properties.policyCopy()));
    }
    return properties.countAsNode() ? builder.countAsNode() : builder;
  }

  private static void requireSound(WeirProperties properties) {
    if (properties.inMemory() && properties.policy() == null) {
      throw new WeirStartException(
          "weir.policy",
          "weir.in-memory=true needs a policy",
          "Set weir.policy to a file or a resource.",
          new IllegalArgumentException("no policy"));
    }
    if (properties.policy() != null && !isResource(properties.policy())) {
      requirePath("weir.policy", properties.policy());
    }
    requirePath("weir.policy-copy", properties.policyCopy());
    if (properties.web().key().from() == From.CLAIM && !hasClaims()) {
      throw new WeirStartException(
          "weir.web.key.from",
          "claim needs tokens with claims, and there are none on the class path",
          "Add spring-boot-starter-oauth2-resource-server, or take the key from elsewhere.",
          new IllegalArgumentException("claim"));
    }
    requireTime(
        "weir.redis-timeout", properties.redisTimeout(), Duration.ofNanos(1), "above 0", "500ms");
    requireTime("weir.redis-wait", properties.redisWait(), Duration.ZERO, "0 or above", "1m");
    for (int i = 0; i < properties.web().operations().size(); i++) {
      Operation operation = properties.web().operations().get(i);
      if (operation.name() == null || operation.name().isEmpty()) {
        throw new WeirStartException(
            "weir.web.operations[%d].name".formatted(i),
            "missing",
            "Name the operation of the policy whose limits these requests have.",
            new IllegalArgumentException("no name"));
      }
      if (operation.path() == null || PathPattern.parse(operation.path()).isEmpty()) {
        throw new WeirStartException(
            "weir.web.operations[%d].path".formatted(i),
            "'%s' is no pattern of a path".formatted(operation.path()),
            "Write it as /orders, /orders/{id} or /files/**.",
            new IllegalArgumentException(operation.path()));
      }
    }
  }

  private static void requireTime(
      String property, Duration time, Duration least, String expected, String example) {
    if (time.compareTo(least) < 0) {
      throw new WeirStartException(
          property,
          "%s (expected: %s)".formatted(time, expected),
          "Set it to a duration such as %s.".formatted(example),
          new IllegalArgumentException(property));
    }
  }

  private static boolean hasClaims() {
    return ClassUtils.isPresent(
        "org.springframework.security.oauth2.core.ClaimAccessor", WeirStart.class.getClassLoader());
  }

  private static void requirePath(String property, @Nullable String path) {
    try {
      Path unused = path == null ? Path.of("") : Path.of(path);
    } catch (InvalidPathException e) {
      throw new WeirStartException(
          property,
          "'%s' is no path of a file".formatted(path),
          "Set it to the path of a file.",
          e);
    }
  }

  private static boolean isResource(String policy) {
    return policy.startsWith(ResourceUtils.CLASSPATH_URL_PREFIX)
        || policy.startsWith(ResourceUtils.FILE_URL_PREFIX);
  }

  private static String text(String policy) {
    try {
      return isResource(policy)
          ? new DefaultResourceLoader().getResource(policy).getContentAsString(UTF_8)
          : Files.readString(Path.of(policy));
    } catch (IOException e) {
      throw new WeirStartException(
          "weir.policy",
          "%s cannot be read (%s)"
              .formatted(isResource(policy) ? policy : Path.of(policy).toAbsolutePath(), e),
          "Set weir.policy to the path of a file that the application may read, or to one of its resources, such as"
              + " classpath:policy.yaml; a relative path begins in the folder where the application was started.",
          e);
    }
  }
}
