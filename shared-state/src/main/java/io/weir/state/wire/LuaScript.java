package io.weir.state.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A script as Redis runs it: a file of {@code lua/} with the files of {@code lua/lib} it includes.
 *
 * @param source the text that Redis runs
 * @param sha1 its name in Redis
 */
public record LuaScript(String source, String sha1) {
  private static final Pattern INCLUDE = Pattern.compile("(?m)^--@include ([\\w/]+)$");

  /** Assembles {@code lua/name.lua}. */
  public static LuaScript load(String name) {
    return load(name, Map.of());
  }

  /** Assembles {@code lua/name.lua} with some of its included files replaced. */
  public static LuaScript load(String name, Map<String, String> replacements) {
    Matcher includes = INCLUDE.matcher(read("lua/" + name + ".lua"));
    String source = includes.replaceAll(include -> {
      String file = replacements.getOrDefault(include.group(1), include.group(1));
      return Matcher.quoteReplacement(read("lua/lib/" + file + ".lua").strip());
    });
    return new LuaScript(source, sha1(source));
  }

  private static String read(String resource) {
    try (InputStream in = LuaScript.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("no script " + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // The protocol's name for a script (EVALSHA), not a protection.
  private static String sha1(String source) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }
}
