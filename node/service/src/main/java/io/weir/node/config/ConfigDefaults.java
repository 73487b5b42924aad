package io.weir.node.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;

/**
 * Defaults for settings without a flag: from the environment, then from the configuration file. {@code --redis-uri} is
 * {@code WEIR_REDIS_URI} in the environment and {@code redis-uri} in the file.
 */
public final class ConfigDefaults {
  private final Map<String, String> environment;
  private final Properties file;

  private ConfigDefaults(Map<String, String> environment, Properties file) {
    this.environment = environment;
    this.file = file;
  }

  /** Without a configuration file. */
  public static ConfigDefaults of(Map<String, String> environment) {
    return new ConfigDefaults(environment, new Properties());
  }

  /**
   * Reads a configuration file: one {@code name = value} a line, {@code #} before a comment.
   *
   * @param known the settings that the file may contain
   * @throws IllegalArgumentException if it cannot be read, or contains other settings
   */
  public static ConfigDefaults of(Map<String, String> environment, Path file, Set<String> known) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "cannot read the configuration file " + file + ": " + e.getMessage(), e);
    }
    Set<String> unknown = new TreeSet<>(properties.stringPropertyNames());
    unknown.removeAll(known);
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException("%s: unknown settings %s (expected: %s)"
          .formatted(file, String.join(", ", unknown), String.join(", ", new TreeSet<>(known))));
    }
    return new ConfigDefaults(environment, properties);
  }

  /** The value of a setting, by its name such as {@code redis-uri}. */
  public Optional<String> value(String setting) {
    return Optional.ofNullable(environment.get(variable(setting)))
        .or(() -> Optional.ofNullable(file.getProperty(setting)).map(String::strip));
  }

  /** The environment variable of a setting. */
  public static String variable(String setting) {
    return "WEIR_" + setting.toUpperCase(Locale.ROOT).replace('-', '_');
  }
}
