package io.weir.spring;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code weir.*}.
 *
 * @param enabled whether anything is limited
 * @param redisUri the Redis of the cluster: redis://, rediss://, redis+sentinel:// or redis+cluster://
 * @param policy a file or a resource (classpath:) with the policy that is put in force if the cluster has none; required without Redis
 * @param policyCopy a file that keeps the policy in force, so that the application can start while Redis is away
 * @param inMemory whether the limits are those of this process alone, without any Redis
 * @param countAsNode whether the application has a share of the limits while Redis is away
 * @param redisTimeout the longest wait for an answer of Redis
 * @param redisWait how long the application tries to reach Redis when it starts
 * @param key the subject of annotated methods that name none
 * @param web how requests are limited
 */
@ConfigurationProperties("weir")
public record WeirProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("redis://localhost:6379") String redisUri,
    @Nullable String policy,
    @Nullable String policyCopy,
    @DefaultValue("false") boolean inMemory,
    @DefaultValue("false") boolean countAsNode,
    @DefaultValue("500ms") Duration redisTimeout,
    @DefaultValue("1m") Duration redisWait,
    @Nullable String key,
    @DefaultValue Web web) {

  /**
   * How requests are limited.
   *
   * @param enabled whether a filter limits them
   * @param order of the filter; the default is behind that of Spring Security
   * @param key by what the caller is known
   * @param operations which requests are which operation; the first match counts. If empty, those of the policy
   */
  public record Web(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("-90") int order,
      @DefaultValue Key key,
      @DefaultValue List<Operation> operations) {}

  /**
   * By what a caller is known.
   *
   * @param from where its key is
   * @param name of the header or the claim
   */
  public record Key(
      @DefaultValue("header") From from,
      @DefaultValue("X-Api-Key") String name) {}

  /** The place of the key in a request. */
  public enum From {
    /** An API key of the policy in a header, with its secret, which is checked. */
    HEADER,
    /** The name of the authenticated user. */
    PRINCIPAL,
    /** A claim of the authenticated token. */
    CLAIM,
    /** The address of the caller. */
    ADDRESS
  }

  /**
   * The requests of an operation.
   *
   * @param path such as /orders/{id} or /files/**
   * @param methods such as GET; empty for any
   * @param name of the operation in the policy
   */
  public record Operation(String path, @DefaultValue Set<String> methods, String name) {}
}
