// Asks Weir whether an operation may be done now. A denied one waits for its slot.
using System;
using System.Diagnostics;
using System.IO;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Threading.Tasks;

public static class Check
{
    private static readonly string Node = Setting("WEIR_URL", "http://127.0.0.1:8081");
    private static readonly string Key = Setting("WEIR_KEY", "twenty.demo-secret-of-twenty");
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(double.Parse(Setting("WEIR_TIMEOUT", "1")));
    // The decision while no node answers.
    private static readonly bool AllowedWithoutWeir = Setting("WEIR_AWAY", "deny") == "allow";

    private static readonly HttpClient Client = new HttpClient { Timeout = Timeout };

    /// <summary>Whether the operation may be done now, if need be after a wait of this patience in all.</summary>
    public static async Task<bool> IsAllowedAsync(string operation, long cost, TimeSpan patience)
    {
        var time = Stopwatch.StartNew();
        var ticket = default(string);
        while (true)
        {
            var answer = await AskAsync(new JsonObject
            {
                ["key"] = Key,
                ["operation"] = operation,
                ["cost"] = cost,
                ["ticket"] = ticket == null ? JsonValue.Create(true) : JsonValue.Create(ticket), // true asks for one
            });
            if (answer == null)
            {
                return AllowedWithoutWeir;
            }
            var decision = answer.Value.GetProperty("decision").GetString();
            if (decision != "denied")
            {
                return decision == "allowed";
            }
            var wait = TimeSpan.FromMilliseconds(answer.Value.GetProperty("retryAfterMs").GetInt64());
            if (time.Elapsed + wait > patience)
            {
                return false;
            }
            await Task.Delay(wait);
            if (answer.Value.TryGetProperty("ticket", out var made))
            {
                ticket = made.GetString(); // keeps the slot
            }
        }
    }

    /// <summary>The answer; null if no node could decide.</summary>
    private static async Task<JsonElement?> AskAsync(JsonObject check)
    {
        try
        {
            var body = new StringContent(check.ToJsonString(), Encoding.UTF8, "application/json");
            using (var response = await Client.PostAsync(Node + "/v1/check", body))
            {
                if ((int)response.StatusCode >= 500)
                {
                    return null;
                }
                var answer = JsonDocument.Parse(await response.Content.ReadAsStringAsync()).RootElement;
                if (!response.IsSuccessStatusCode) // a mistake in the request
                {
                    throw new ArgumentException((int)response.StatusCode + ": " + answer.GetProperty("title").GetString());
                }
                return answer;
            }
        }
        catch (Exception e) when (e is HttpRequestException || e is TaskCanceledException || e is IOException || e is JsonException)
        {
            return null;
        }
    }

    private static string Setting(string name, string otherwise) => Environment.GetEnvironmentVariable(name) ?? otherwise;

    public static async Task Main(string[] arguments)
    {
        bool isAllowed = await IsAllowedAsync(arguments[0], long.Parse(arguments[1]), TimeSpan.FromSeconds(30));
        Console.WriteLine(isAllowed ? "allowed" : "denied");
    }
}
