package io.weir.state.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads files of {@code lua/} and the modules that they require: a module is a file of {@code lua/lib}, in a function
 * whose result is the module.
 */
final class LuaSources {
  private static final Pattern REQUIRED = Pattern.compile("\\brequire\\('([\\w/]+)'\\)");
  /**
   * Declares Lua's own functions as locals, before all modules. Redis hides these functions while it loads a library.
   * Later it finds them through a metatable, which costs more than a local. {@link #BIND} sets the locals.
   */
  private static final String GLOBALS = """
      local function globals()
        return GLOBALS
      end
      local GLOBALS -- luacheck: ignore (not each text needs all)
      local function bind()
        GLOBALS = globals()
      end
      """.replace(
          "GLOBALS",
          "error, ipairs, math, next, pairs, pcall, string, struct, table, tonumber, tostring, type, unpack");

  private static final String BUILT = """
      local modules = {}
      local function require(name)
        return modules[name]
      end
      """;

  /** A script forgets its modules at its end: each call builds those that it needs. */
  private static final String BUILDERS = """
      local modules, builders = {}, {}
      local function require(name)
        local module = modules[name]
        if module == nil then
          module = builders[name]()
          modules[name] = module
        end
        return module
      end
      """;

  /** The first line of each command. */
  static final String BIND = "if not string then bind() end\n";

  private final Map<String, String> replacements;
  /** Each behind those that it requires. */
  private final Map<String, String> modules = new LinkedHashMap<>();

  /** @param replacements modules that are read from other files, by name */
  LuaSources(Map<String, String> replacements) {
    this.replacements = Map.copyOf(replacements);
  }

  /** The text of a command, whose modules are from then on among {@link #modules}. */
  String command(String name) {
    String text = read("lua/" + name + ".lua");
    requireModules(text);
    return text;
  }

  /** The Lua code before the commands of a library: the modules, built once, and the function that finds them. */
  String built() {
    return modules(BUILT, "modules['%s'] = (function()\n%s\nend)()\n");
  }

  /** The same before the command of a script, which builds a module when it is required first. */
  String builders() {
    return modules(BUILDERS, "builders['%s'] = function()\n%s\nend\n");
  }

  private String modules(String loader, String form) {
    StringBuilder text = new StringBuilder(GLOBALS);
    if (!modules.isEmpty()) {
      text.append(loader);
    }
    modules.forEach((name, source) -> text.append(form.formatted(name, source)));
    return text.toString();
  }

  private void requireModules(String text) {
    Matcher required = REQUIRED.matcher(text);
    while (required.find()) {
      String name = required.group(1);
      if (!modules.containsKey(name)) {
        String source =
            read("lua/lib/" + replacements.getOrDefault(name, name) + ".lua").strip();
        requireModules(source);
        modules.put(name, source);
      }
    }
  }

  private static String read(String resource) {
    try (InputStream in = LuaSources.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("no script " + resource);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
