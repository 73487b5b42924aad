package io.weir.state.policy;

import io.weir.state.connection.RedisAddress;
import io.weir.state.connection.RedisAddress.Host;
import io.weir.state.connection.TlsMaterial;
import java.time.Duration;
import org.redisson.config.BaseConfig;
import org.redisson.config.BaseMasterSlaveServersConfig;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;
import org.redisson.config.SubscriptionMode;

/** Sets up Redisson for a Redis of any topology: few connections, and always to masters. */
final class RedissonSetup {
  private static final int TIMEOUT_MILLIS = (int) Duration.ofSeconds(1).toMillis();
  private static final int CONNECT_MILLIS = (int) Duration.ofSeconds(2).toMillis();
  private static final int SCAN_MILLIS = (int) Duration.ofSeconds(1).toMillis();
  private static final int CONNECTIONS = 4;
  private static final int SUBSCRIPTIONS = 2;

  private RedissonSetup() {}

  /** @param isLater whether Redis may be unreachable for now */
  static Config config(RedisAddress address, boolean isLater) {
    Config config = new Config();
    config.setThreads(2).setNettyThreads(2).setLazyInitialization(isLater);
    address.credentials().username().ifPresent(config::setUsername);
    address.credentials().password().ifPresent(config::setPassword);
    TlsMaterial tls = TlsMaterial.read(address.tlsFiles());
    tls.trust().ifPresent(config::setSslTrustManagerFactory);
    tls.shown().ifPresent(config::setSslKeyManagerFactory);
    switch (address.servers().topology()) {
      case SINGLE -> single(config, address);
      case SENTINEL -> sentinel(config, address);
      case CLUSTER -> cluster(config, address);
    }
    return config;
  }

  private static void single(Config config, RedisAddress address) {
    common(address, config.useSingleServer())
        .setAddress(uri(address, address.servers().hosts().get(0)))
        .setDatabase(address.database())
        .setConnectionMinimumIdleSize(1)
        .setConnectionPoolSize(CONNECTIONS)
        .setSubscriptionConnectionMinimumIdleSize(1)
        .setSubscriptionConnectionPoolSize(SUBSCRIPTIONS);
  }

  private static void sentinel(Config config, RedisAddress address) {
    var servers = masters(common(address, config.useSentinelServers()));
    servers
        .setMasterName(address.servers().master())
        .setDatabase(address.database())
        .setScanInterval(SCAN_MILLIS)
        .setCheckSentinelsList(false);
    address.servers().sentinelCredentials().username().ifPresent(servers::setSentinelUsername);
    address.servers().sentinelCredentials().password().ifPresent(servers::setSentinelPassword);
    address.servers().hosts().forEach(host -> servers.addSentinelAddress(uri(address, host)));
  }

  private static void cluster(Config config, RedisAddress address) {
    var servers = masters(common(address, config.useClusterServers()));
    servers.setScanInterval(SCAN_MILLIS).setCheckSlotsCoverage(false);
    address.servers().hosts().forEach(host -> servers.addNodeAddress(uri(address, host)));
  }

  private static <T extends BaseConfig<T>> T common(RedisAddress address, T servers) {
    return servers
        .setClientName(address.settings().clientName())
        .setTimeout(TIMEOUT_MILLIS)
        .setConnectTimeout(CONNECT_MILLIS)
        .setRetryAttempts(1);
  }

  private static <T extends BaseMasterSlaveServersConfig<T>> T masters(T servers) {
    return servers
        .setReadMode(ReadMode.MASTER)
        .setSubscriptionMode(SubscriptionMode.MASTER)
        .setMasterConnectionMinimumIdleSize(1)
        .setMasterConnectionPoolSize(CONNECTIONS)
        .setSubscriptionConnectionMinimumIdleSize(1)
        .setSubscriptionConnectionPoolSize(SUBSCRIPTIONS);
  }

  private static String uri(RedisAddress address, Host host) {
    String name = host.name().indexOf(':') < 0 ? host.name() : "[" + host.name() + "]";
    return "%s://%s:%d".formatted(address.tls() ? "rediss" : "redis", name, host.port());
  }
}
