package io.weir.state.connection;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The address of Redis: its URI is parsed only here, so that all connections see the same database.
 *
 * @param tls whether the connections are encrypted
 * @param database the number of the database
 */
public record RedisAddress(
    Servers servers,
    boolean tls,
    TlsFiles tlsFiles,
    int database,
    Credentials credentials,
    Settings settings) {
  private static final String FORM = "redis[s][+sentinel|+cluster]://[[username]:password@]"
      + "host[:port][,host[:port]]...[/database][?option=value&...], with %40 for @ in a password";
  private static final Pattern URI = Pattern.compile(
      "redis(?<tls>s?)(?:\\+(?<topology>sentinel|cluster))?://(?:(?<user>[^@/?]*)@)?"
          + "(?<hosts>[^@/?#]+)(?:/(?<database>\\d{0,4}))?(?:\\?(?<options>[^#]*))?");
  private static final Pattern HOST =
      Pattern.compile("(?<name>\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(?::(?<port>\\d{1,5}))?");
  private static final int MAX_PORT = 65_535;
  private static final Set<String> OPTIONS = new TreeSet<>(Set.of(
      "master",
      "clientName",
      "waitReplicas",
      "functions",
      "sentinelUsername",
      "sentinelPassword",
      "ca",
      "certificate",
      "key"));

  /**
   * The servers at which Redis is found.
   *
   * @param hosts one for a single Redis; otherwise Sentinels, or some nodes of a Cluster, of which one has to answer
   * @param master the Sentinels' name of the master; empty without Sentinels
   * @param sentinelCredentials for the Sentinels
   */
  public record Servers(
      Topology topology, List<Host> hosts, String master, Credentials sentinelCredentials) {
    public Servers {
      hosts = List.copyOf(hosts);
    }
  }

  /**
   * How the connections are used.
   *
   * @param clientName the name of the connections in Redis
   * @param waitReplicas how many replicas must have a decision before it is answered; 0 for none
   * @param usesFunctions whether commands are sent as functions to a Redis that runs them, else always as scripts
   */
  public record Settings(String clientName, int waitReplicas, boolean usesFunctions) {}

  /** The topology of Redis. */
  public enum Topology {
    /** One Redis, or a master whose failover is managed by another system. */
    SINGLE(6379),
    /** A master managed by Sentinels. */
    SENTINEL(26_379),
    /** A Redis Cluster. */
    CLUSTER(6379);

    private final int defaultPort;

    Topology(int defaultPort) {
      this.defaultPort = defaultPort;
    }
  }

  /** A host, IPv6 addresses without brackets. */
  public record Host(String name, int port) {
    @Override
    public String toString() {
      return (name.contains(":") ? "[" + name + "]" : name) + ":" + port;
    }
  }

  /** The user that connects. */
  public record Credentials(Optional<String> username, Optional<String> password) {
    @Override
    public String toString() {
      return "Credentials"; // without the password
    }
  }

  /**
   * Files in PEM form; without them, the trust of the Java platform.
   *
   * @param ca the authorities that may sign the certificates of Redis
   * @param certificate the certificate of this side, with {@code key}, PKCS#8 and not encrypted
   */
  public record TlsFiles(Optional<Path> ca, Optional<Path> certificate, Optional<Path> key) {
    /** Whether any file is given. */
    public boolean areGiven() {
      return ca.isPresent() || certificate.isPresent();
    }
  }

  /**
   * Parses
   * {@code redis[s][+sentinel|+cluster]://[[username]:password@]host[:port][,host[:port]]...[/database][?options]};
   * special characters of a URI are percent-encoded. The options are {@code master} (for Sentinels),
   * {@code sentinelUsername}, {@code sentinelPassword}, {@code clientName}, {@code waitReplicas},
   * {@code functions} ({@code auto} or {@code off}), {@code ca}, {@code certificate} and {@code key}.
   *
   * @throws IllegalArgumentException if it has another form; the message does not repeat it, because it may contain a
   *     password
   */
  public static RedisAddress parse(String text) {
    Matcher uri = URI.matcher(text);
    if (!uri.matches()) {
      throw new IllegalArgumentException("the URI of Redis (expected: " + FORM + ")");
    }
    Topology topology = Optional.ofNullable(uri.group("topology"))
        .map(name -> name.equals("cluster") ? Topology.CLUSTER : Topology.SENTINEL)
        .orElse(Topology.SINGLE);
    boolean tls = !uri.group("tls").isEmpty();
    Map<String, String> options = options(uri.group("options"));
    String database = Optional.ofNullable(uri.group("database")).orElse("");
    RedisAddress address = new RedisAddress(
        new Servers(
            topology,
            hosts(uri.group("hosts"), topology),
            options.getOrDefault("master", ""),
            new Credentials(
                given(options, "sentinelUsername"), given(options, "sentinelPassword"))),
        tls,
        new TlsFiles(
            given(options, "ca").map(Path::of),
            given(options, "certificate").map(Path::of),
            given(options, "key").map(Path::of)),
        database.isEmpty() ? 0 : Integer.parseInt(database),
        credentials(Optional.ofNullable(uri.group("user")).orElse("")),
        new Settings(
            options.getOrDefault("clientName", "weir"),
            waitReplicas(options),
            usesFunctions(options)));
    address.requireSense();
    return address;
  }

  @Override
  public String toString() {
    return "%s/%d"
        .formatted(
            servers.hosts().stream().map(Host::toString).collect(Collectors.joining(",")),
            database); // without the password
  }

  /** A URI that may be shown: as in {@link #parse}, without passwords and without options other than {@code master}. */
  public String withoutSecrets() {
    Topology topology = servers.topology();
    String master = servers.master();
    String form = topology == Topology.SINGLE ? "" : "+" + topology.name().toLowerCase(Locale.ROOT);
    String of =
        master.isEmpty() ? "" : "?master=" + URLEncoder.encode(master, StandardCharsets.UTF_8);
    return "redis%s%s://%s%s".formatted(tls ? "s" : "", form, this, of);
  }

  private void requireSense() {
    boolean hasFiles = tlsFiles.areGiven() || tlsFiles.key().isPresent();
    Topology topology = servers.topology();
    String wrong = topology == Topology.SINGLE && servers.hosts().size() > 1
        ? "several hosts (expected: redis+sentinel:// or redis+cluster://, or one host)"
        : topology == Topology.CLUSTER && database > 0
            ? "a database (expected: none, a Redis Cluster has only 0)"
            : topology == Topology.CLUSTER && settings.waitReplicas() > 0
                ? "the option waitReplicas (expected: none, with a Redis Cluster)"
                : (topology == Topology.SENTINEL) == servers.master().isEmpty()
                    ? "the option master (expected: with redis+sentinel://, and there only)"
                    : hasFiles && !tls
                        ? "the options ca, certificate and key (expected: with rediss:// only)"
                        : tlsFiles.certificate().isPresent() != tlsFiles.key().isPresent()
                            ? "the options certificate and key (expected: both or none)"
                            : "";
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException("the URI of Redis: " + wrong);
    }
  }

  private static List<Host> hosts(String text, Topology topology) {
    return Arrays.stream(text.split(",", -1))
        .map(part -> {
          Matcher host = HOST.matcher(part);
          int port = !host.matches()
              ? 0
              : Optional.ofNullable(host.group("port"))
                  .map(Integer::parseInt)
                  .orElse(topology.defaultPort);
          if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("the URI of Redis: a host (expected: " + FORM + ")");
          }
          return new Host(host.group("name").replaceAll("[\\[\\]]", ""), port);
        })
        .toList();
  }

  private static Credentials credentials(String user) {
    int colon = user.indexOf(':');
    return new Credentials(
        decoded(colon < 0 ? "" : user.substring(0, colon)), decoded(user.substring(colon + 1)));
  }

  private static Map<String, String> options(String query) {
    Map<String, String> options = new HashMap<>();
    for (String option : Optional.ofNullable(query).orElse("").split("&", -1)) {
      String[] parts = option.split("=", 2);
      boolean isKnown = parts.length == 2 && OPTIONS.contains(parts[0]);
      if (!option.isEmpty()
          && (!isKnown || options.put(parts[0], decoded(parts[1]).orElse("")) != null)) {
        throw new IllegalArgumentException(
            "the URI of Redis: an option (expected: name=value, once each of " + OPTIONS + ")");
      }
    }
    return options;
  }

  private static int waitReplicas(Map<String, String> options) {
    String text = options.getOrDefault("waitReplicas", "0");
    if (!text.matches("[0-9]")) {
      throw new IllegalArgumentException("the URI of Redis: waitReplicas (expected: 0 to 9)");
    }
    return Integer.parseInt(text);
  }

  private static boolean usesFunctions(Map<String, String> options) {
    String text = options.getOrDefault("functions", "auto");
    if (!List.of("auto", "off").contains(text)) {
      throw new IllegalArgumentException("the URI of Redis: functions (expected: auto or off)");
    }
    return text.equals("auto");
  }

  private static Optional<String> given(Map<String, String> options, String name) {
    return Optional.ofNullable(options.get(name)).filter(value -> !value.isEmpty());
  }

  private static Optional<String> decoded(String text) {
    String plain;
    try {
      plain = URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      // The cause's message may repeat a password.
      throw new IllegalArgumentException(
          "the URI of Redis: percent-encoding (expected: %25 for %)");
    }
    return Optional.of(plain).filter(t -> !t.isEmpty());
  }
}
