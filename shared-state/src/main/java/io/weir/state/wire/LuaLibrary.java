package io.weir.state.wire;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The commands of one extension, or of the limiter, as a library of functions (Redis, "Redis functions"): the modules
 * once, then one function for each command. Its name, and those of its functions, end with a digest of the text, so
 * that nodes of several releases share one Redis. Immutable.
 */
public final class LuaLibrary {
  /** The name of the library of {@link #forOperators}. */
  public static final String OPERATORS = "weir";

  private static final int DIGITS = 10;
  private static final List<String> LIMITER_COMMANDS = List.of(
      "charge",
      "take",
      "join",
      "peek",
      "settle",
      "owe",
      "refund",
      "renew",
      "due",
      "lease",
      "assign",
      "levels",
      "lease_look",
      "show",
      "publish",
      "raise",
      "beat",
      "libraries");
  private static final Set<String> NAMES = ConcurrentHashMap.newKeySet();
  private static final Map<Map<String, String>, LuaLibrary> LIMITERS = new ConcurrentHashMap<>();

  /** The comment at the beginning, the modules that the command requires, and the rest. */
  private static final Pattern COMMAND = Pattern.compile(
      "((?:--[^\\n]*\\n)+)\\n*((?:local [^\\n]*\\brequire\\([^\\n]*\\n)*)(.*)", Pattern.DOTALL);

  private static final Pattern SENTENCE = Pattern.compile("\\A(.*?\\.)(?:\\s|\\z)", Pattern.DOTALL);

  private final String name;
  private final String source;
  private final Map<String, LuaScript> scripts = new LinkedHashMap<>();

  private LuaLibrary(String extension, List<String> commands, Map<String, String> replacements) {
    LuaSources sources = new LuaSources(replacements);
    Map<String, String> texts = new LinkedHashMap<>();
    commands.forEach(command -> texts.put(command, sources.command(command)));
    StringBuilder text = new StringBuilder(sources.built());
    texts.forEach((command, body) -> text.append(registered(command, body)));
    String digest = sha1(text.toString()).substring(0, DIGITS);
    this.name = "weir_%s_%s".formatted(extension, digest);
    this.source = "#!lua name=%s\nlocal DIGEST = '%s'\n%s".formatted(name, digest, text);
    commands.forEach(command -> scripts.put(command, script(command, digest, replacements)));
    NAMES.add(name);
  }

  /** The library of the limiter, with some modules replaced; see {@link #of(String, List, Map)}. */
  public static LuaLibrary limiter(Map<String, String> replacements) {
    return LIMITERS.computeIfAbsent(
        replacements, replaced -> of("limiter", LIMITER_COMMANDS, replaced));
  }

  /** The library with these files of {@code lua/}. */
  public static LuaLibrary of(String extension, List<String> commands) {
    return of(extension, commands, Map.of());
  }

  /**
   * The same with some modules replaced.
   *
   * @param replacements the files of {@code lua/lib} that replace modules, by name
   */
  public static LuaLibrary of(
      String extension, List<String> commands, Map<String, String> replacements) {
    return new LuaLibrary(extension, commands, replacements);
  }

  /**
   * The library {@code weir} for people who look into Redis: {@code weir_show}, which shows the state of a key, is
   * named alike in all releases.
   */
  public static String forOperators() {
    LuaSources sources = new LuaSources(Map.of());
    String show = sources.command("show");
    return "#!lua name=%s\nlocal DIGEST = ''\n%s%s"
        .formatted(
            OPERATORS,
            sources.built(),
            registered("show", show).replace("weir_show_", "weir_show"));
  }

  /** The names of all libraries of this program. */
  public static Set<String> names() {
    return Set.copyOf(NAMES);
  }

  /** The name in Redis. */
  public String name() {
    return name;
  }

  /** The text that Redis loads. */
  public String source() {
    return source;
  }

  /** A command by the name of its file. */
  public LuaScript script(String command) {
    return requireNonNull(scripts.get(command), command);
  }

  private LuaScript script(String command, String digest, Map<String, String> replacements) {
    LuaSources sources = new LuaSources(replacements);
    String body = sources.command(command);
    String text = sources.builders() + LuaSources.BIND + body;
    return new LuaScript("weir_%s_%s".formatted(command, digest), text, sha1(text), this);
  }

  private static String registered(String command, String text) {
    Matcher parts = COMMAND.matcher(text);
    if (!parts.matches()) {
      throw new IllegalStateException(command + ".lua: no comment at the beginning");
    }
    String comment = parts.group(1).replaceAll("(?m)^-- ?", "");
    String flags = comment.contains("writes no key") ? "'no-writes'" : "";
    return """
        do
        %s
        redis.register_function{ function_name = 'weir_%s_' .. DIGEST, description = '%s', flags = { %s },
        callback = function(KEYS, ARGV)
        %s%s
        end }
        end
        """.formatted(
            parts.group(2),
            command,
            sentence(comment),
            flags,
            LuaSources.BIND,
            parts.group(3).strip());
  }

  private static String sentence(String comment) {
    Matcher first = SENTENCE.matcher(comment);
    String text = first.find() ? first.group(1) : comment;
    return text.replaceAll("\\s+", " ").replace("'", "\\'");
  }

  // A name of the protocol, not a protection.
  private static String sha1(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }
}
