package io.weir.keys.command;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The commands for keys, tenants, tokens of operators, and the audit. */
public final class KeyCommands {
  private KeyCommands() {}

  /**
   * All of them, as picocli objects.
   *
   * @param localAdmin the admin port of a cluster that runs on this machine
   */
  public static List<Object> all(Supplier<Optional<String>> localAdmin) {
    CommandLine keys = group(
            "keys", "Makes, lists, changes and ends API keys outside of the policy.")
        .addSubcommand(new RecordCreate(localAdmin, "keys"))
        .addSubcommand(new RecordList(localAdmin, "keys"))
        .addSubcommand(new RecordShow(localAdmin, "keys"))
        .addSubcommand(new KeyRotate(localAdmin));
    CommandLine tenants = group("tenants", "Settings of tenants outside of the policy.")
        .addSubcommand(new RecordCreate(localAdmin, "tenants"))
        .addSubcommand(new RecordList(localAdmin, "tenants"))
        .addSubcommand(new RecordShow(localAdmin, "tenants"));
    for (CommandLine records : List.of(keys, tenants)) {
      String kind = records.getCommandName();
      records
          .addSubcommand("set", new RecordSet(localAdmin, kind))
          .addSubcommand("freeze", new RecordState(localAdmin, kind, "frozen"))
          .addSubcommand("activate", new RecordState(localAdmin, kind, "active"))
          .addSubcommand("boost", new RecordBoost(localAdmin, kind))
          .addSubcommand("delete", new RecordDelete(localAdmin, kind));
    }
    keys.addSubcommand(new KeyImport(localAdmin)).addSubcommand(new KeyExport(localAdmin));
    CommandLine tokens = group("tokens", "Tokens of operators, each with a scope.")
        .addSubcommand(new TokenCommands.Create(localAdmin))
        .addSubcommand(new TokenCommands.ListAll(localAdmin))
        .addSubcommand(new TokenCommands.Delete(localAdmin));
    return List.of(keys, tenants, tokens, new AuditCommand(localAdmin));
  }

  private static CommandLine group(String name, String description) {
    CommandSpec spec = CommandSpec.create().name(name).mixinStandardHelpOptions(true);
    spec.usageMessage().description(description).synopsisSubcommandLabel("COMMAND");
    return new CommandLine(spec);
  }
}
